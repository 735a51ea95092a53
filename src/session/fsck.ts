import type { Entry } from "../entry/entry.ts";
import { isEntry, isObject } from "../entry/entry-check.ts";
import type { Problem, ProblemCode } from "../entry/problem.ts";
import { UNREADABLE_PARENT } from "../entry/session-decoder.ts";
import type { StoreSession } from "../store/store.ts";
import type { TreeEntry } from "../tree/tree-entry.ts";

/** What a check found; `ok` = nothing. */
export interface SessionReport {
  /** File of the session, null for stores without files. */
  readonly file: string | null;
  readonly ok: boolean;
  /** Number of readable entries. */
  readonly entries: number;
  /** In file order. Line 0 and bytes 0 stand for "no place", in stores without files. */
  readonly problems: readonly Problem[];
}

/** What messages say about tool calls: those that an assistant made, the one that a result answers. */
interface ToolLinks {
  readonly calls: ReadonlyMap<string, readonly string[]>;
  readonly results: ReadonlyMap<string, string>;
}

type Report = (at: TreeEntry, code: ProblemCode, message: string) => void;

/**
 * Lists what is wrong with a session: what was met while reading it, what is wrong with the tree, and
 * entries that name others which are not there. Linear in the entries; never writes (P7).
 */
export async function checkSession(store: StoreSession): Promise<SessionReport> {
  const problems: Problem[] = [];
  const report: Report = (at, code, message) => {
    const place = store.placeOf(at.id) ?? { line: 0, byteStart: 0, byteEnd: 0 };
    const { line, byteStart, byteEnd } = place;
    problems.push({ code, line, byteStart, byteEnd, entryId: at.id, message });
  };
  const links = await readToolLinks(store);
  // Reading every payload above is what finds missing ones.
  problems.push(...store.problems);
  for (const at of store.tree.entries()) checkLinks(store, at, report);
  checkPaths(store, links, report);
  problems.sort((a, b) => a.byteStart - b.byteStart);
  return { file: store.file, ok: problems.length === 0, entries: store.tree.size, problems };
}

async function readToolLinks(store: StoreSession): Promise<ToolLinks> {
  const calls = new Map<string, readonly string[]>();
  const results = new Map<string, string>();
  for await (const entry of store.scan()) {
    const made = callIds(entry);
    if (made.length > 0) calls.set(entry.id, made);
    const answered = answeredCall(entry);
    if (answered !== null) results.set(entry.id, answered);
  }
  return { calls, results };
}

function callIds(entry: Entry): readonly string[] {
  if (!isEntry(entry, "message") || entry.message.role !== "assistant") return [];
  const content: unknown = "content" in entry.message ? entry.message.content : [];
  const ids: string[] = [];
  for (const block of Array.isArray(content) ? content : []) {
    const isCall = isObject(block) && block.type === "toolCall";
    if (isCall && typeof block.id === "string") ids.push(block.id);
  }
  return ids;
}

function answeredCall(entry: Entry): string | null {
  if (!isEntry(entry, "message") || entry.message.role !== "toolResult") return null;
  const id: unknown = "toolCallId" in entry.message ? entry.message.toolCallId : null;
  return typeof id === "string" ? id : "";
}

function checkLinks(store: StoreSession, at: TreeEntry, report: Report): void {
  const { gap, targetId } = at;
  if (gap?.reason === "missing-parent") {
    const parent = gap.missingId === UNREADABLE_PARENT ? "" : ` ${gap.missingId}`;
    report(at, "PARENT_MISSING", `The parent${parent} cannot be read; history is missing here.`);
  }
  if (gap?.reason === "cycle") {
    report(at, "PARENT_CYCLE", `The parents of this entry run in a circle over ${gap.missingId}.`);
  }
  if (targetId !== null && !store.tree.has(targetId)) {
    report(at, "TARGET_MISSING", `The ${at.type} names ${targetId}, which is not there.`);
  }
}

/** Walks the tree from its roots with the state of the path above; a stack, so depth does not matter. */
function checkPaths(store: StoreSession, links: ToolLinks, report: Report): void {
  const above = new PathState(links);
  const stack: { readonly at: TreeEntry; entered: boolean }[] = [];
  const push = (id: string | null): void => {
    for (const at of store.tree.children(id)) stack.push({ at, entered: false });
  };
  push(null);
  for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
    if (top.entered) {
      above.leave(top.at);
      stack.pop();
      continue;
    }
    top.entered = true;
    checkAgainstPath(top.at, above, report);
    above.enter(top.at);
    push(top.at.id);
  }
}

/** Which entries and tool calls lie above. */
class PathState {
  readonly #links: ToolLinks;
  readonly #entries = new Set<string>();
  readonly #calls = new Map<string, number>();

  constructor(links: ToolLinks) {
    this.#links = links;
  }

  enter({ id }: TreeEntry): void {
    this.#entries.add(id);
    for (const call of this.#links.calls.get(id) ?? []) this.#count(call, 1);
  }

  leave({ id }: TreeEntry): void {
    this.#entries.delete(id);
    for (const call of this.#links.calls.get(id) ?? []) this.#count(call, -1);
  }

  has(id: string): boolean {
    return this.#entries.has(id);
  }

  /** The call that this result answers and that was not made above it, or null. */
  missingCall({ id }: TreeEntry): string | null {
    const call = this.#links.results.get(id);
    return call === undefined || (this.#calls.get(call) ?? 0) > 0 ? null : call;
  }

  #count(call: string, change: number): void {
    this.#calls.set(call, (this.#calls.get(call) ?? 0) + change);
  }
}

function checkAgainstPath(at: TreeEntry, above: PathState, report: Report): void {
  const call = above.missingCall(at);
  if (call !== null) {
    report(
      at,
      "TOOL_RESULT_ORPHAN",
      `No assistant message above made the tool call ${call || "(none)"}.`,
    );
  }
  const link = at.fold.compactions;
  if (at.type !== "compaction" || link?.id !== at.id) return;
  const kept = link.firstKeptEntryId;
  if (kept === at.id || (kept !== null && above.has(kept))) return;
  report(
    at,
    "FIRST_KEPT_MISSING",
    `The compaction keeps from ${kept ?? "no entry"}, which is not above it.`,
  );
}
