import assert from "node:assert/strict";
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { NodeWorkspace } from "../local/node-workspace.ts";
import { refused } from "../store/testing/expect.ts";
import { cutText } from "./cut-text.ts";
import { createDemoTools, READ_CHARACTERS } from "./demo-tools.ts";
import type { ToolOutput } from "./tool.ts";
import type { Workspace } from "./workspace.ts";

type Call = (
  name: string,
  args: Readonly<Record<string, unknown>>,
  signal?: AbortSignal,
) => Promise<ToolOutput>;

function callsOf(workspace: Workspace): Call {
  const tools = new Map(createDemoTools(workspace).map((tool) => [tool.name, tool]));
  return async (name, args, signal = new AbortController().signal) => {
    const tool = tools.get(name);
    assert.ok(tool);
    return await tool.execute(args, { callId: "c", signal, onUpdate: () => undefined });
  };
}

const textOf = ({ content }: ToolOutput): string =>
  content.map((block) => ("text" in block ? String(block.text) : "")).join("");

async function scene(context: TestContext): Promise<{ root: string; call: Call }> {
  const base = await mkdtemp(join(tmpdir(), "branchline-workspace-"));
  context.after(() => rm(base, { recursive: true }));
  const root = join(base, "work");
  await mkdir(join(root, "docs", "deep"), { recursive: true });
  await writeFile(join(base, "secret.txt"), "secret");
  await writeFile(join(root, "a.txt"), "alpha\nBeta 方案 A\n");
  await writeFile(join(root, ".hidden"), "alpha");
  await writeFile(join(root, "docs", "deep", "b.md"), "nothing\n  beta here\n");
  await writeFile(join(root, "binary"), Buffer.from("beta\0beta"));
  return { root, call: callsOf(new NodeWorkspace({ root })) };
}

test("list, read, search and write a note", async (context) => {
  const { root, call } = await scene(context);
  assert.equal(textOf(await call("list_files", {})), "a.txt (20 bytes)\nbinary (9 bytes)\ndocs/");
  assert.equal(textOf(await call("list_files", { path: "docs" })), "docs/deep/");
  assert.equal(textOf(await call("read_file", { path: "docs/../a.txt" })), "alpha\nBeta 方案 A\n");
  assert.equal(
    textOf(await call("search_files", { text: "BETA" })),
    "a.txt:2: Beta 方案 A\ndocs/deep/b.md:2: beta here",
  );
  assert.equal(
    textOf(await call("search_files", { text: "beta", path: "docs" })),
    "docs/deep/b.md:2: beta here",
  );
  assert.equal(textOf(await call("search_files", { text: "方案 b" })), "Nothing found in 3 files.");
  await call("write_note", { path: "notes/new/n.md", text: "笔记" });
  await call("write_note", { path: "notes/new/n.md", text: "笔记 2" });
  assert.equal(await readFile(join(root, "notes/new/n.md"), "utf8"), "笔记 2");
  await mkdir(join(root, "empty"));
  assert.equal(textOf(await call("list_files", { path: "empty" })), "The folder is empty.");
});

test("a long file is cut at 1,800 characters, never inside one, and read on", async (context) => {
  const { root, call } = await scene(context);
  const text = `${"x".repeat(READ_CHARACTERS - 1)}😀${"y".repeat(10)}`;
  await writeFile(join(root, "long.txt"), text);
  const first = textOf(await call("read_file", { path: "long.txt" }));
  const end = READ_CHARACTERS - 1;
  assert.equal(
    first,
    `${"x".repeat(end)}\n\n(cut: characters 0 to ${end} of 1811; read on with offset ${end})`,
  );
  assert.equal(
    textOf(await call("read_file", { path: "long.txt", offset: end })),
    `😀${"y".repeat(10)}`,
  );
  assert.equal(textOf(await call("read_file", { path: "long.txt", offset: 9999 })), "");
  assert.equal(cutText("ab", 1), "a");
});

test("a file of more than a MiB is read as far as that, and says so", async (context) => {
  const { root, call } = await scene(context);
  await writeFile(join(root, "big.txt"), "é".repeat(600_000));
  const shown = textOf(await call("read_file", { path: "big.txt", offset: 524_280 }));
  assert.match(shown, /^é+\n\n\(cut: characters 524280 to 524288 of more than 524288\)$/);
});

test("P10: nothing leads out of the workspace: dots, absolute paths, links, NUL", async (context) => {
  const { root, call } = await scene(context);
  await symlink(join(root, ".."), join(root, "up"));
  await symlink("../secret.txt", join(root, "leak.txt"));
  await symlink("nowhere/else", join(root, "dangling"));
  await symlink("a.txt", join(root, "inner.txt"));
  const outside = [
    "../secret.txt",
    "/etc/passwd",
    "up/secret.txt",
    "leak.txt",
    "a\0b",
    "docs/../../secret.txt",
  ];
  for (const path of outside) {
    await refused("FILE_UNSAFE", () => call("read_file", { path }));
    await refused("FILE_UNSAFE", () => call("write_note", { path, text: "x" }));
  }
  await refused("FILE_UNSAFE", () => call("list_files", { path: "up" }));
  await refused("FILE_UNSAFE", () => call("list_files", { path: ".." }));
  await refused("FILE_UNSAFE", () => call("search_files", { text: "secret", path: "up" }));
  await refused("FILE_UNSAFE", () => call("write_note", { path: "up/new.txt", text: "x" }));
  await refused("FILE_UNSAFE", () => call("write_note", { path: "", text: "x" }));
  await refused("FILE_UNSAFE", () => call("write_note", { path: "docs", text: "x" }));
  await refused("FILE_UNSAFE", () => call("write_note", { path: "inner.txt", text: "x" }));
  assert.ok(
    ["IO_FAILED", "FILE_UNSAFE"].includes(
      await codeOf(() => call("write_note", { path: "dangling/x", text: "x" })),
    ),
  );
  await refused("FILE_MISSING", () => call("read_file", { path: "no.txt" }));
  await refused("FILE_MISSING", () => call("read_file", { path: "dangling" }));
  assert.equal(await readFile(join(root, "..", "secret.txt"), "utf8"), "secret");
  // A link that stays inside is followed; a search does not go through links.
  assert.equal(textOf(await call("read_file", { path: "inner.txt" })), "alpha\nBeta 方案 A\n");
  assert.equal(textOf(await call("search_files", { text: "secret" })), "Nothing found in 3 files.");
});

async function codeOf(call: () => Promise<unknown>): Promise<string> {
  try {
    await call();
    return "";
  } catch (error) {
    return (error as { code: string }).code;
  }
}

test("sizes are bounded: names, hits, lines, notes", async (context) => {
  const { root, call } = await scene(context);
  await mkdir(join(root, "many"));
  for (let n = 0; n < 501; n++) await writeFile(join(root, "many", `f${1000 + n}`), "hit hit\n");
  const listed = textOf(await call("list_files", { path: "many" })).split("\n");
  assert.equal(listed.length, 501);
  assert.match(listed.at(-1) ?? "", /only the first 500/);
  await writeFile(join(root, "many", "f0"), `${"hit ".repeat(200)}\n`.repeat(100));
  const hits = textOf(await call("search_files", { text: "hit", path: "many" })).split("\n");
  assert.equal(hits.length, 51);
  assert.ok(hits.every((line) => line.length < 250));
  const note = await call("write_note", { path: "n", text: "x".repeat(100_001) });
  assert.equal(note.isError, true);
  const aborted = await call("search_files", { text: "hit", path: "many" }, AbortSignal.abort());
  assert.equal(textOf(aborted), "Nothing found in 0 files.");
});

test("a file that may not be read does not end a search; another failure does", async () => {
  const list = async (): ReturnType<Workspace["list"]> => [
    { path: "gone", kind: "file", bytes: 1 },
    { path: "there", kind: "file", bytes: 1 },
  ];
  let broken = false;
  const workspace: Workspace = {
    list,
    read: async (path) => {
      if (broken) throw new TypeError("bug");
      if (path === "gone") return await new NodeWorkspace({ root: "/" }).read("../x\0", 1);
      return { text: "hit", bytes: 3, cut: false };
    },
    write: async () => undefined,
  };
  const call = callsOf(workspace);
  assert.equal(textOf(await call("search_files", { text: "hit" })), "there:1: hit");
  broken = true;
  await assert.rejects(call("search_files", { text: "hit" }), TypeError);
});
