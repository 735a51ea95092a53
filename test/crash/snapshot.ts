import type { Entry } from "../../src/entry/entry.ts";
import { isEntry } from "../../src/entry/entry-check.ts";
import type { JsonlStore } from "../../src/store/jsonl/jsonl-store.ts";
import type { MemoryMachine } from "../../src/store/jsonl/testing/memory-fixture.ts";
import type { StoreSession } from "../../src/store/store.ts";

/** Ids that are the same in every run; others are chance. */
const KNOWN = new Set(["one", "gone", "pi", "new"]);

/**
 * Everything that a person could see of a machine's sessions, without what is chance (ids, times), as one
 * text. Read by a store of its own on a copy of the disk, on which nothing fails.
 */
export async function snapshot(machine: MemoryMachine): Promise<string> {
  const copy = machine.copy();
  return await copy.run(describe(copy.store()));
}

async function describe(store: JsonlStore): Promise<string> {
  const rows: string[] = [];
  for await (const { path } of store.list()) {
    const session = await store.openFile(path as string);
    rows.push(await sessionText(session, path as string));
    await session.close();
  }
  const trash = (await store.listTrash()).map(({ id }) => id);
  const values = await store.values.get({ session: "one" }, "k");
  return JSON.stringify({ sessions: rows.sort(), trash, values }, null, 1);
}

async function sessionText(session: StoreSession, path: string): Promise<string> {
  const names = new Map<string | null, string>([[null, "root"]]);
  const lines: string[] = [];
  for await (const entry of session.scan()) {
    names.set(entry.id, describeEntry(entry));
    lines.push(`${describeEntry(entry)} under ${names.get(entry.parentId) ?? "nothing"}`);
  }
  const id = KNOWN.has(session.id) ? session.id : "other";
  const isPacked = !path.endsWith(".jsonl");
  const problems = session.problems.map(({ code }) => code);
  return JSON.stringify({ id, isPacked, lines, leaf: names.get(session.tree.leaf()), problems });
}

function describeEntry(entry: Entry): string {
  if (isEntry(entry, "custom")) return entry.customType;
  if (isEntry(entry, "label")) return `label ${String(entry.label)}`;
  if (!isEntry(entry, "message")) return entry.type;
  const { content } = entry.message as { readonly content: unknown };
  return JSON.stringify(content).slice(0, 40);
}
