import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import process from "node:process";
import { NodeWorkspace } from "../../local/node-workspace.ts";
import type { ModelProvider } from "../../model/model.ts";
import type { ModelSources } from "../../server/server-models.ts";
import type { ServerRoot } from "../../server/server-root.ts";
import { createJsonlStore } from "../../store/jsonl/jsonl-store.ts";
import { plainModels } from "../agent-models.ts";
import { styled } from "../color.ts";
import { LARGE_SAMPLE } from "../large-sample.ts";
import { PACKAGE_FOLDER } from "../package-folder.ts";
import { usage } from "../usage.ts";
import type { Call, Verb } from "../verb.ts";
import { VERSION } from "../version.ts";

const WELCOME = `# Workspace

The tools of a run see this folder and nothing outside of it.

- Ask "list the files", "read welcome.md" or "write a note".
- 试试「列出文件」「读取 welcome.md」「写笔记」。
`;

/** The built page and the samples, where the package has them. */
function shipped(...parts: readonly string[]): string | undefined {
  const place = path.join(PACKAGE_FOLDER, ...parts);
  return existsSync(place) ? place : undefined;
}

function portOf(call: Call): number | undefined {
  const text = call.text("port");
  if (text === undefined) return undefined;
  const port = Number(text);
  if (!/^\d{1,5}$/.test(text) || port > 65_535) throw usage(`${text} is no port.`);
  return port;
}

/** The shipped samples as roots of their own, best to begin with first; whoever asked closes their stores. */
function sampleRoots(call: Call): readonly ServerRoot[] {
  if (call.has("without-samples")) return [];
  return ["samples", "sessions"].flatMap((name) => {
    const folder = shipped("examples", name);
    return folder === undefined ? [] : [sampleRoot(call, folder)];
  });
}

function sampleRoot(call: Call, samples: string): ServerRoot {
  const first = call.sessions.home;
  const index = call.sessions.index;
  const store = createJsonlStore({
    root: samples,
    allowNetwork: call.sessions.allowNetwork,
    trash: path.join(first.directory, "trash"),
    blobs: path.join(first.directory, "blobs"),
    ...(index === null ? {} : { index: index.sessions }),
  });
  return { kind: "samples", directory: samples, store };
}

/** The models of this start: what the environment names, Pi's where it is installed, the offline one. */
async function modelsOf(call: Call): Promise<ModelSources> {
  const [{ createOpenAiCompatible }, plain] = await Promise.all([
    import("../../adapters/openai-compatible/openai-compatible.ts"),
    plainModels(call.io, "always"),
  ]);
  const providers = [...plain, ...(call.has("pi-models") ? [await piModels()] : [])];
  const connect: ModelSources["connect"] = ({ baseUrl, apiKey, model, name, contextWindow }) =>
    createOpenAiCompatible({
      ...{ baseUrl, model },
      ...(apiKey === undefined || apiKey === "" ? {} : { apiKey }),
      ...(name === undefined ? {} : { name }),
      ...(contextWindow === undefined ? {} : { contextWindow }),
    });
  return { providers, connect };
}

/** Loaded only when asked for: it brings the libraries of many providers along. */
async function piModels(): Promise<ModelProvider> {
  const { loadPiAi } = await import("../../adapters/pi-ai/pi-ai.ts");
  return await loadPiAi();
}

/** The fenced folder that the tools of runs see; not empty at the first start. */
async function workspaceOf(root: string): Promise<NodeWorkspace> {
  const folder = path.join(root, "workspace");
  if (!existsSync(folder)) {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await writeFile(path.join(folder, "welcome.md"), WELCOME, { mode: 0o600 });
  }
  return new NodeWorkspace({ root: folder });
}

/** A token that stays the same over starts, for a page that is to come back by itself; else a new one. */
function tokenOf(call: Call): string | undefined {
  const token = call.io.env.BRANCHLINE_TOKEN ?? "";
  if (token === "") return undefined;
  if (/^[\w-]{43}$/.test(token)) return token;
  throw usage(
    "BRANCHLINE_TOKEN has to be 43 letters, digits, - or _: 256 random bits as base64url.",
  );
}

/** Resolves at the first signal that asks the program to end. */
function untilAskedToEnd(): Promise<string> {
  return new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
      process.once(signal, () => resolve(signal));
    }
  });
}

/** Serves the page and the API. */
export const serveVerb: Verb = {
  name: "serve",
  summary: "serve the page and the HTTP API on this machine",
  example: "branchline serve --port 4317",
  arguments: [],
  options: [
    {
      name: "port",
      value: "n",
      about: "default 4317; the next free one where it is taken, 0 = any",
    },
    { name: "host", value: "address", about: "default 127.0.0.1; others need --expose" },
    { name: "expose", about: "allow an address that other machines can reach" },
    { name: "log", value: "level", choices: ["silent", "warn", "info"], about: "default warn" },
    { name: "pi-models", about: "offer Pi's models too, where its package pi-ai is installed" },
    { name: "without-samples", about: "do not list the shipped sample sessions" },
  ],
  async run(call) {
    const asked = untilAskedToEnd();
    const [{ startServer }, { default: pino }] = await Promise.all([
      import("../../server/server.ts"),
      import("pino"),
    ]);
    const log = pino(
      { level: call.text("log") ?? "warn" },
      pino.destination({ fd: 2, sync: true }),
    );
    const samples = sampleRoots(call);
    const [first, ...further] = call.sessions.roots;
    const page = shipped("web", "dist");
    const host = call.text("host");
    const port = portOf(call);
    const fixed = tokenOf(call);
    const server = await startServer({
      roots: [first, ...further, ...samples],
      generated: samples.length === 0 ? [] : [LARGE_SAMPLE],
      index: call.sessions.index,
      cwd: call.io.cwd,
      version: VERSION,
      models: await modelsOf(call),
      workspace: await workspaceOf(call.sessions.home.directory),
      log,
      isExposed: call.has("expose"),
      ...(page === undefined ? {} : { page }),
      ...(host === undefined ? {} : { host }),
      ...(port === undefined ? {} : { port }),
      ...(fixed === undefined ? {} : { token: fixed }),
    });
    const { address, origin, token, hasPage } = server;
    const root = call.sessions.home.directory;
    call.out.either({ address, origin, token, port: server.port, root, page: hasPage }, () => [
      [address],
    ]);
    call.out.talk(styled("faint", `sessions in ${root}; Ctrl-C ends the server`));
    if (!hasPage) call.out.talk(styled("faint", "the page is not built: only the API is served"));
    await asked;
    await server.close();
    for (const { store } of samples) await store.close();
    return 0;
  },
};
