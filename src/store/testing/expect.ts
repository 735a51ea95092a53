import assert from "node:assert/strict";
import type { Entry, EntryDraft } from "../../entry/entry.ts";
import { BranchlineError, type ErrorCode } from "../../errors.ts";
import type { CommitRequest, StoreEvent, StoreSession } from "../store.ts";

/** Waits that nobody answers end with a failure after this time in ms, instead of for ever. */
const PATIENCE_MS = 10_000;

/** Asserts that a call throws or rejects with a code, and gives the error. */
export async function refused<C extends ErrorCode>(
  code: C,
  call: () => unknown,
): Promise<BranchlineError<C>> {
  try {
    await call();
  } catch (error) {
    if (BranchlineError.is(error, code)) return error;
    throw error;
  }
  assert.fail(`it went through, ${code} was expected`);
}

/** Everything that an iterable gives. */
export async function collect<T>(source: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const one of source) all.push(one);
  return all;
}

/** The promise's outcome; fails where it takes too long. Keeps the process alive meanwhile. */
export async function soon<T>(promise: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(
      () => reject(new assert.AssertionError({ message: "nothing came" })),
      PATIENCE_MS,
    );
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Reads events until `count` entries came, and gives all of the events. */
export async function eventsWith(
  events: AsyncIterator<StoreEvent>,
  count: number,
): Promise<StoreEvent[]> {
  const read: StoreEvent[] = [];
  for (let entries = 0; entries < count; ) {
    const { value, done } = await soon(events.next());
    assert.equal(done, false, "the events ended early");
    read.push(value);
    if (value.type === "entries") entries += value.entries.length;
  }
  return read;
}

/** The ids of the entries in events, in order. */
export function eventIds(events: readonly StoreEvent[]): string[] {
  return events.flatMap((event) => (event.type === "entries" ? ids(event.entries) : []));
}

/** Ids in order. */
export function ids(entries: readonly Entry[]): string[] {
  return entries.map((entry) => entry.id);
}

/** What went through JSON. */
export function json<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}

/** Commits drafts and gives the entries. */
export async function add(
  session: StoreSession,
  drafts: EntryDraft | readonly EntryDraft[],
  options: Omit<CommitRequest, "entries"> = {},
): Promise<readonly Entry[]> {
  const entries = Array.isArray(drafts) ? drafts : [drafts];
  return (await session.commit({ entries, ...options })).entries;
}

/** Commits one draft and gives its id. */
export async function addOne(
  session: StoreSession,
  draft: EntryDraft,
  options: Omit<CommitRequest, "entries"> = {},
): Promise<string> {
  const [entry] = await add(session, draft, options);
  assert.ok(entry);
  return entry.id;
}

/** Commits `count` user messages, one after the other, and gives their ids. */
export async function addMany(session: StoreSession, count: number): Promise<string[]> {
  const added: string[] = [];
  for (let index = 0; index < count; index++) {
    added.push(
      await addOne(session, { type: "message", message: { role: "user", content: `m${index}` } }),
    );
  }
  return added;
}

/** All that a rejected commit must leave as it was (P5). */
export async function stateOf(session: StoreSession): Promise<unknown> {
  return {
    size: session.tree.size,
    leaf: session.tree.leaf(),
    branches: session.tree.branches(),
    entries: await collect(session.scan()),
    summary: await session.summary(),
  };
}

/** Asserts that every object within is frozen; a list of entries itself need not be. */
export function assertFrozen(value: unknown): void {
  const stack: unknown[] = Array.isArray(value) ? [...value] : [value];
  while (stack.length > 0) {
    const at = stack.pop();
    if (typeof at !== "object" || at === null) continue;
    assert.ok(Object.isFrozen(at), `not frozen: ${JSON.stringify(at).slice(0, 100)}`);
    stack.push(...Object.values(at));
  }
}
