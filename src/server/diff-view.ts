import { createHash } from "node:crypto";
import type { Entry } from "../entry/entry.ts";
import { isEntry, isObject } from "../entry/entry-check.ts";
import type { DiffRow, DiffSide, DiffTotals, DiffView } from "../protocol/operation.ts";
import { contentWords, entryText } from "../session/entry-preview.ts";
import type { TreeEntry } from "../tree/tree-entry.ts";
import { isShown, kindOf } from "../view/entry-kind.ts";
import { shortText } from "../view/entry-view.ts";
import { alignRows } from "./align-rows.ts";
import type { SessionHost } from "./session-host.ts";

/** Rows of one side below the meeting point; of longer ones the newest. */
const MOST_ROWS = 1500;
/** Longest text of a side, in characters. */
const SIDE_TEXT = 2000;
/** Files that the totals of a side name. */
const MOST_FILES = 200;

/** One side of a row, and what makes it equal to another one. */
export interface ComparedSide extends DiffSide {
  readonly print: string;
}

/** Two paths of a session beside each other, from where they part. */
export async function diffView(
  host: SessionHost,
  { a, b, mode }: { readonly a: string; readonly b: string; readonly mode: DiffView["mode"] },
): Promise<DiffView> {
  const { tree } = host.store;
  await host.skeleton.update();
  const meeting = tree.commonAncestor(a, b);
  const below = { a: sideBelow(host, a, meeting), b: sideBelow(host, b, meeting) };
  const entries = { a: await read(host, below.a.newest), b: await read(host, below.b.newest) };
  const totals = { a: totalsOf(below.a, entries.a), b: totalsOf(below.b, entries.b) };
  const isCut = [totals.a, totals.b].some((side) => side.shown < side.entries);
  const frame = {
    mode,
    meeting: meeting?.id ?? null,
    shared: meeting?.fold.depth ?? 0,
    ...totals,
    ...(isCut && { truncated: true as const }),
  };
  if (mode === "context") return { ...frame, ...(await contextRows(host, a, b)) };
  const left = sidesOf(host, below.a.newest, entries.a);
  const right = sidesOf(host, below.b.newest, entries.b);
  return { ...frame, rows: rowsOf(left, right), cacheBreak: -1 };
}

/** What lies on one side, all of it counted, the newest rows of it at hand. */
interface SideBelow {
  readonly totals: Omit<DiffTotals, "stopReason" | "files" | "cost"> & { readonly cost: number };
  readonly newest: readonly TreeEntry[];
}

/** Walks the side once and keeps no more of it than its newest rows (any size). */
function sideBelow(host: SessionHost, leaf: string, meeting: TreeEntry | null): SideBelow {
  const { tree } = host.store;
  const labels = tree.labels();
  const newest: TreeEntry[] = [];
  const named: string[] = [];
  const times: number[] = [];
  const sums = { turns: 0, entries: 0, tokens: 0 };
  for (const at of tree.ancestors(leaf)) {
    if (at.id === meeting?.id) break;
    if (!isShown(at)) continue;
    if (newest.length < MOST_ROWS) newest.push(at);
    sums.entries++;
    if (kindOf(at) === "u") sums.turns++;
    sums.tokens += host.skeleton.tokensAt(at.ordinal);
    const label = labels.get(at.id)?.label;
    if (label !== undefined) named.push(label);
    const time = Date.parse(at.timestamp);
    // The first is the newest, the last one so far the oldest.
    if (Number.isFinite(time)) times[Math.min(times.length, 1)] = time;
  }
  const [last, first = last] = times;
  const durationMs = last === undefined || first === undefined ? null : last - first;
  const cost = costBelow(tree.get(leaf), meeting);
  const counted = { leaf, ...sums, cost, labels: named.reverse(), durationMs };
  return { totals: { ...counted, shown: newest.length }, newest: newest.reverse() };
}

/** What the answers of a side cost, as they say themselves. */
function costBelow(leaf: TreeEntry | undefined, meeting: TreeEntry | null): number {
  return Math.max(0, (leaf?.fold.usage.cost ?? 0) - (meeting?.fold.usage.cost ?? 0));
}

async function read(host: SessionHost, path: readonly TreeEntry[]): Promise<readonly Entry[]> {
  return await host.store.getAll(path.map(({ id }) => id));
}

function sidesOf(
  host: SessionHost,
  path: readonly TreeEntry[],
  entries: readonly Entry[],
): readonly ComparedSide[] {
  return path.map((at, index) => {
    const text = entryText(entries[index] as Entry);
    const role = at.role ?? at.type;
    const tokens = host.skeleton.tokensAt(at.ordinal);
    return { entry: at.id, role, text: cut(text), tokens, print: print(`${role}\n${text}`) };
  });
}

/** Equal rows stand beside each other; a row of each side with the same role is a changed one. */
function rowsOf(left: readonly ComparedSide[], right: readonly ComparedSide[]): readonly DiffRow[] {
  return alignRows(left, right).map(([one, other]) => {
    const sides = { left: bare(one), right: bare(other) };
    if (one === null) return { kind: "right", ...sides };
    if (other === null) return { kind: "left", ...sides };
    return { kind: one.print === other.print ? "same" : "changed", ...sides };
  });
}

function bare(side: ComparedSide | null): DiffSide | null {
  if (side === null) return null;
  const { print: _print, ...shown } = side;
  return shown;
}

async function contextRows(
  host: SessionHost,
  a: string,
  b: string,
): Promise<Pick<DiffView, "rows" | "cacheBreak">> {
  const left = await contextSides(host, a);
  const right = await contextSides(host, b);
  const length = Math.min(left.length, right.length);
  let same = 0;
  while (same < length && left[same]?.print === right[same]?.print) same++;
  const isEqual = same === left.length && same === right.length;
  const rows = rowsOf(left.slice(same, same + MOST_ROWS), right.slice(same, same + MOST_ROWS));
  return { rows, cacheBreak: isEqual ? -1 : same };
}

async function contextSides(host: SessionHost, at: string): Promise<readonly ComparedSide[]> {
  const context = await host.session.context(at === host.session.leaf ? {} : { at });
  return context.messages.map((message, index) => {
    const entry = context.sources[index] as string;
    const members: Readonly<Record<string, unknown>> = isObject(message) ? message : {};
    const text = contentWords(members.content) || String(members.summary ?? "");
    const ordinal = host.store.tree.get(entry)?.ordinal ?? -1;
    const tokens = host.skeleton.tokensAt(ordinal);
    return {
      entry,
      role: message.role,
      text: cut(text),
      tokens,
      print: print(JSON.stringify(message)),
    };
  });
}

/** Files are those that the newest rows name. */
function totalsOf(
  { totals, newest }: SideBelow,
  entries: readonly Entry[],
): DiffTotals & { readonly shown: number } {
  const facts = entries.map(factsOf);
  // Nothing in all is free where an answer says so, else unknown.
  const isPriced = totals.cost > 0 || facts.some(({ cost }) => cost !== null);
  return {
    ...totals,
    cost: isPriced ? totals.cost : null,
    stopReason: facts.findLast(({ stop }) => stop !== null)?.stop ?? null,
    files: [...new Set(facts.flatMap(({ files }) => files))].slice(0, MOST_FILES),
    shown: newest.length,
    ...(newest.length < totals.entries && { filesTruncated: true as const }),
  };
}

interface Facts {
  readonly cost: number | null;
  readonly stop: string | null;
  readonly files: readonly string[];
}

function factsOf(entry: Entry): Facts {
  const message: unknown = isEntry(entry, "message") ? entry.message : null;
  if (!isObject(message)) return { cost: null, stop: null, files: [] };
  const usage = isObject(message.usage) ? message.usage : {};
  const cost = isObject(usage.cost) ? usage.cost.total : null;
  return {
    cost: typeof cost === "number" ? cost : null,
    stop: typeof message.stopReason === "string" ? message.stopReason : null,
    files: filesOf(message.content),
  };
}

/** Members of calls that name a file. */
const FILE_MEMBERS = ["path", "file_path", "filePath", "file"] as const;

function filesOf(content: unknown): readonly string[] {
  if (!Array.isArray(content)) return [];
  const files: string[] = [];
  for (const block of content) {
    if (!isObject(block) || block.type !== "toolCall" || !isObject(block.arguments)) continue;
    for (const name of FILE_MEMBERS) {
      const value = block.arguments[name];
      if (typeof value === "string") files.push(value);
    }
  }
  return files;
}

function cut(text: string): string {
  return text.length <= SIDE_TEXT ? text : shortText(text, SIDE_TEXT);
}

function print(text: string): string {
  return createHash("sha256").update(text).digest("base64").slice(0, 22);
}
