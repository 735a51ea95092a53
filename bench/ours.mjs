/**
 * Branchline as one column of a side-by-side benchmark of session stores. An adapter has: meta, load,
 * importSession, importCorpus, open → {context, append, appendShared, leafId, pickTarget, branchTo,
 * close}, list, listNative, search, fork, audit. A `ref` is a JSON value that travels between processes:
 * here {file, root}, or {dir, root} for a folder of sessions. `root` is the data root with the index.
 *
 * Runs the sources, under Node 24. BRANCHLINE_INDEX=off measures without the index.
 */
import { existsSync } from "node:fs";
import { copyFile, mkdir, readFile } from "node:fs/promises";
import path from "node:path";

const INDEX = process.env.BRANCHLINE_INDEX === "off" ? "off" : "on";
const SEARCH = new URL("../src/search/", import.meta.url);

/** What the runner shows and decides by. */
export const meta = {
  id: INDEX === "off" ? "branchline-no-index" : "branchline",
  title: INDEX === "off" ? "Branchline, no index" : "Branchline",
  persistent: true,
  tree: true,
  durability: ["os", "fsync"],
  search: "full text of all sessions",
  context: "compaction-aware",
  listing: "complete",
};

let engine;
let Session;
let cloneSession;

/** Imports the public surface, as an application does, and what opens it. */
export async function load() {
  ({ Session, cloneSession } = await import("../src/index.ts"));
  engine = await import("../src/bench/engine-store.ts");
}

/** Copies one Pi v3 file and lets the index know it. */
export async function importSession({ v3Path, storeDir }) {
  const dir = path.join(storeDir, "sessions", "imported");
  await mkdir(dir, { recursive: true });
  const file = path.join(dir, path.basename(v3Path));
  await copyFile(v3Path, file);
  await using opened = await engine.openEngine(storeDir, { index: INDEX });
  await engine.prepareIndex(opened, file);
  return { file, root: storeDir };
}

/** Leaves a folder of Pi sessions where it is; only the index goes to our data root. */
export async function importCorpus({ corpusDir, storeDir }) {
  await mkdir(storeDir, { recursive: true });
  await using opened = await engine.openEngine(corpusDir, { index: INDEX, data: storeDir });
  await engine.prepareIndex(opened, corpusDir);
  return { dir: corpusDir, root: storeDir };
}

/** One open session. `durability` "os" = our "process", everything else = on the disk. */
export async function open(ref, { durability }) {
  const opened = await engine.openEngine(ref.root, {
    index: INDEX,
    durability: durability === "os" ? "process" : "full",
  });
  const session = await Session.attach(await opened.store.openFile(ref.file));
  const append = (message) => session.append({ type: "message", message });
  return {
    context: async () => (await session.context()).messages,
    append,
    appendShared: append,
    leafId: () => session.leaf,
    pickTarget: (fraction) => {
      const steps = session.tree.path(session.leaf);
      return steps[Math.floor((steps.length - 1) * fraction)].id;
    },
    branchTo: (id) => session.moveLeaf(id),
    close: async () => {
      await session.close();
      await opened[Symbol.asyncDispose]();
    },
  };
}

/** Rows with name, first message and count. */
export async function list(ref) {
  await using opened = await engine.openEngine(ref.dir, { index: INDEX, data: ref.root });
  const rows = [];
  for await (const row of opened.store.list()) {
    rows.push({ id: row.id, name: row.name, firstMessage: row.title, count: row.messages });
  }
  return rows;
}

async function findSessions(ref, phrase) {
  await using opened = await engine.openEngine(ref.dir, { index: INDEX, data: ref.root });
  return (await opened.index?.search(`"${phrase}"`)) ?? [];
}

/** Ids of the sessions that hold the phrase; absent where this build has no search. */
export const search = existsSync(SEARCH) ? findSessions : undefined;

/** A copy of a session in another root. */
export async function fork(ref, storeDir) {
  await using from = await engine.openEngine(ref.root, { index: INDEX });
  // The index that knows the source knows where its lines stand.
  await using to = await engine.openEngine(storeDir, { index: INDEX, data: ref.root });
  await using session = await Session.attach(await from.store.openFile(ref.file));
  await using copy = await cloneSession({ from: session, store: to.store });
  return { file: copy.file, root: storeDir };
}

/** The physical state of the file, whatever the engine says, and whether it opens. */
export async function audit(ref) {
  const physical = auditLines((await readFile(ref.file, "utf8")).split("\n"));
  try {
    const session = await open(ref, {});
    const { length } = await session.context();
    await session.close();
    return { ...physical, reopen: "ok", contextMessages: length };
  } catch (error) {
    return { ...physical, reopen: String(error.message).slice(0, 160) };
  }
}

const MARK = /@@w(\d+)i(\d+)@@/g;

function auditLines(lines) {
  const entries = new Map();
  let torn = 0;
  let duplicateIds = 0;
  let last;
  for (const [index, line] of lines.entries()) {
    if (line === "") continue;
    try {
      const entry = JSON.parse(line);
      if (index === 0) continue;
      if (entries.has(entry.id)) duplicateIds++;
      const marks = [...line.matchAll(MARK)].map((match) => match[0]);
      last = { id: entry.id, parentId: entry.parentId, marks };
      entries.set(entry.id, last);
    } catch {
      torn++;
    }
  }
  const parents = new Set([...entries.values()].map((entry) => entry.parentId));
  const orphans = [...parents].filter((id) => id !== null && !entries.has(id)).length;
  const visible = new Set();
  const stored = new Set([...entries.values()].flatMap((entry) => entry.marks));
  for (let at = last; at !== undefined; at = entries.get(at.parentId)) {
    for (const mark of at.marks) visible.add(mark);
  }
  const heads = [...entries.keys()].filter((id) => !parents.has(id)).length;
  const counts = { stored: stored.size, visible: visible.size };
  return { lines: lines.length - 1, torn, duplicateIds, orphans, heads, ...counts };
}
