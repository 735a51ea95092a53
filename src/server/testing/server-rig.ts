import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { request } from "node:http";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import type { TestContext } from "node:test";
import { type Client, createClient } from "../../client/client.ts";
import { openLocalIndex } from "../../local/local-index.ts";
import { NodeWorkspace } from "../../local/node-workspace.ts";
import type { ModelProvider } from "../../model/model.ts";
import { createOfflineModel } from "../../model/offline-model.ts";
import { createJsonlStore, type JsonlStore } from "../../store/jsonl/jsonl-store.ts";
import { type RunningServer, type ServerOptions, startServer } from "../server.ts";
import type { ServerRoot } from "../server-root.ts";

/** A server with a data root of its own; everything is gone at the end of the test. */
export interface ServerRig {
  readonly server: RunningServer;
  readonly client: Client;
  readonly folder: string;
  readonly store: JsonlStore;
  /** Another handle on the same files, as another process has it. */
  readonly foreign: JsonlStore;
  /** Stops the server and starts another one on the same data. */
  restart(): Promise<ServerRig>;
}

/** What a rig may have otherwise. */
export interface RigOptions
  extends Partial<Pick<ServerOptions, "limits" | "page" | "port" | "log">> {
  readonly model?: ModelProvider;
  /** Folder with samples. */
  readonly samples?: string;
  /** Further roots; whoever gives them closes their stores. */
  readonly more?: readonly ServerRoot[];
  readonly index?: "off";
}

/** Starts a server for a test. */
export async function serverRig(t: TestContext, options: RigOptions = {}): Promise<ServerRig> {
  const folder = mkdtempSync(path.join(tmpdir(), "branchline-server-"));
  const closers: (() => Promise<unknown>)[] = [];
  t.after(async () => {
    for (const close of closers.reverse()) await close();
    rmSync(folder, { recursive: true, force: true });
  });
  return await startRig(folder, options, closers);
}

async function startRig(
  folder: string,
  options: RigOptions,
  closers: (() => Promise<unknown>)[],
): Promise<ServerRig> {
  const { model = createOfflineModel(), samples, more = [], index: indexed, ...rest } = options;
  const index = indexed === "off" ? null : openLocalIndex({ root: folder });
  const withIndex = index === null ? {} : { index: index.sessions };
  const store = createJsonlStore({ root: folder, ...withIndex });
  const foreign = createJsonlStore({ root: folder });
  const home: ServerRoot = { kind: "own", directory: folder, store };
  const extra = samples === undefined ? [] : [sampleRoot(folder, samples, withIndex)];
  const server = await startServer({
    roots: [home, ...extra, ...more],
    index,
    cwd: folder,
    home: folder,
    version: "0.0.0",
    port: 0,
    models: { providers: [model] },
    workspace: new NodeWorkspace({ root: folder }),
    ...rest,
  });
  const close = async (): Promise<void> => {
    await server.close();
    for (const root of [home, ...extra]) await root.store.close();
    await foreign.close();
    await index?.[Symbol.asyncDispose]();
  };
  closers.push(close);
  const client = createClient({ baseUrl: server.origin, token: server.token, client: "test" });
  const restart = async (): Promise<ServerRig> => {
    closers.splice(closers.indexOf(close), 1);
    await close();
    return await startRig(folder, { ...options, port: server.port }, closers);
  };
  return { server, client, folder, store, foreign, restart };
}

function sampleRoot(folder: string, samples: string, index: object): ServerRoot {
  const trash = path.join(folder, "trash");
  const store = createJsonlStore({ root: samples, trash, ...index });
  return { kind: "samples", directory: samples, store };
}

/** What came back over the wire. */
export interface RawAnswer {
  readonly status: number;
  readonly text: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** Sends bytes as they are over a socket of their own and reads until the other side closes or answers. */
export function rawRequest(port: number, text: string | Uint8Array): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: "127.0.0.1" });
    const parts: Buffer[] = [];
    const done = (): void => {
      const answer = Buffer.concat(parts).toString("latin1");
      const status = Number(/^HTTP\/1\.\d (\d{3})/.exec(answer)?.[1] ?? 0);
      socket.destroy();
      resolve({ status, text: answer, headers: {} });
    };
    socket.on("data", (part) => {
      parts.push(part);
      const answer = Buffer.concat(parts).toString("latin1");
      const length = /content-length: (\d+)/i.exec(answer)?.[1];
      const body = answer.indexOf("\r\n\r\n");
      const isWhole =
        length === undefined
          ? answer.endsWith("0\r\n\r\n")
          : answer.length - body - 4 >= Number(length);
      if (body >= 0 && isWhole) done();
    });
    socket.on("end", done);
    socket.on("error", (error: NodeJS.ErrnoException) => {
      if (parts.length > 0 || error.code === "ECONNRESET" || error.code === "EPIPE") done();
      else reject(error);
    });
    socket.on("connect", () => socket.write(text));
  });
}

/** A request with headers that `fetch` would not send. */
export function plainRequest(
  port: number,
  options: {
    readonly method?: string;
    readonly path: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: string | Buffer;
  },
): Promise<RawAnswer> {
  const { method = "GET", path: target, headers = {}, body } = options;
  return new Promise((resolve, reject) => {
    const sent = request(
      { port, host: "127.0.0.1", method, path: target, headers, agent: false },
      (answer) => {
        const parts: Buffer[] = [];
        answer.on("data", (part: Buffer) => parts.push(part));
        answer.on("end", () => {
          const text = Buffer.concat(parts).toString("utf8");
          resolve({ status: answer.statusCode ?? 0, text, headers: answer.headers });
        });
        answer.on("error", reject);
      },
    );
    sent.on("error", (error: NodeJS.ErrnoException) => {
      // The server may break off a request that it refuses before it was sent whole.
      if (error.code === "ECONNRESET" || error.code === "EPIPE") {
        resolve({ status: 0, text: "", headers: {} });
      } else reject(error);
    });
    sent.end(body);
  });
}

/** Collects what a generator gives until something fits; throws after `limit` items. */
export async function until<T>(
  items: AsyncIterator<T>,
  fits: (item: T) => boolean,
  limit = 500,
): Promise<readonly T[]> {
  const seen: T[] = [];
  while (seen.length < limit) {
    const next = await items.next();
    if (next.done === true) break;
    seen.push(next.value);
    if (fits(next.value)) return seen;
  }
  return assert.fail(`what was waited for did not come among ${seen.length}`);
}
