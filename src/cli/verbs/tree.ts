import { entryKind, entryPreview } from "../../session/entry-preview.ts";
import { resolveRange } from "../../session/revision-range.ts";
import type { Session } from "../../session/session.ts";
import { isOwn } from "../../tree/session-tree.ts";
import type { TreeEntry } from "../../tree/tree-entry.ts";
import { safeLine } from "../../view/safe-text.ts";
import { type Piece, styled } from "../color.ts";
import { drawTree } from "../tree-drawing.ts";
import { branchNames, sessionShortIds, styleOfKind, treeLines } from "../tree-text.ts";
import { usage } from "../usage.ts";
import type { Call, Verb } from "../verb.ts";
import { displayWidth, truncate } from "../width.ts";

/** With more user messages than this, they no longer help to find one's way. */
const MOST_TURNS_SHOWN = 40;
/** Sessions up to this size are shown whole. */
const SMALL = 24;
/** Payloads are read in pages of this many entries. */
const PAGE = 500;

type Row = Readonly<Record<string, unknown>>;

/** Members that `tree` and `log` share. */
function entryRow(session: Session, at: TreeEntry, preview: string): Row {
  return {
    id: at.id,
    parentId: at.parent?.id ?? null,
    type: at.type,
    role: at.role,
    depth: at.fold.depth,
    label: session.tree.labels().get(at.id)?.label ?? null,
    branch: at.fold.branch,
    preview,
  };
}

async function* entryRows(session: Session): AsyncIterable<Row> {
  for await (const entry of session.store.scan()) {
    const at = session.tree.get(entry.id);
    if (at !== undefined) yield entryRow(session, at, entryPreview(entry));
  }
}

async function printJson(call: Call, session: Session): Promise<void> {
  const { id, leaf, position } = session;
  const branches = session.tree.branches().map(({ id, name, head }) => ({ id, name, head }));
  const head = { session: id, leaf, position, branches };
  await call.out.objectWithList(head, "nodes", entryRows(session));
}

/** What stays visible inside straight runs: labels, ends of branches, summaries, some user messages. */
function keeper(session: Session): (at: TreeEntry) => boolean {
  const { tree } = session;
  if (tree.size <= SMALL) return () => true;
  const labels = tree.labels();
  const ends = branchNames(session.store);
  let turns = 0;
  for (const at of tree.entries()) if (at.role === "user") turns++;
  const showsTurns = turns <= MOST_TURNS_SHOWN;
  return (at) =>
    labels.has(at.id) ||
    ends.has(at.id) ||
    at.id === session.position ||
    at.type === "compaction" ||
    at.type === "branch_summary" ||
    (showsTurns && at.role === "user");
}

async function draw(call: Call, session: Session, show: "forks" | "path" | "all"): Promise<void> {
  const rows = drawTree(session.tree, { leaf: session.leaf, show, keeps: keeper(session) });
  const { columns, plain } = call.out;
  const context = { store: session.store, leaf: session.leaf, columns, plain };
  for await (const line of treeLines(rows, context)) call.out.line(...line);
  if (rows.length === 0) call.out.talk("The session has no entries yet.");
}

/** The whole session as a tree. */
export const treeVerb: Verb = {
  name: "tree",
  summary: "draw the session as a tree; straight runs are folded",
  example: "branchline tree examples/sessions/v3-tui-branches.jsonl",
  arguments: [{ name: "session", about: "which session", kind: "session" }],
  options: [{ name: "all", about: "every entry, our own bookkeeping too" }],
  async run(call) {
    const session = await call.sessions.open(call.sessionReference);
    if (call.out.json) await printJson(call, session);
    else await draw(call, session, call.has("all") ? "all" : "forks");
    return 0;
  },
};

/** An entry that `log` shows; `side` only for `A...B`. */
interface LogEntry {
  readonly at: TreeEntry;
  readonly side: "left" | "right" | null;
}

async function range(call: Call, session: Session): Promise<readonly LogEntry[]> {
  const { tree } = session;
  const { kind, left, right } = await resolveRange(session, call.text("at") ?? "@");
  if (kind === "entry") return tree.path(right[0] ?? null).map((at) => ({ at, side: null }));
  const entry = (side: LogEntry["side"]) => (id: string) => {
    const at = tree.get(id);
    return at === undefined ? [] : [{ at, side }];
  };
  if (kind !== "sides") return right.flatMap(entry(null));
  return [...left.flatMap(entry("left")), ...right.flatMap(entry("right"))];
}

/** Entries that `log` shows, root first. */
async function logEntries(call: Call, session: Session): Promise<readonly LogEntry[]> {
  const all = await range(call, session);
  const visible = call.has("all") ? all : all.filter(({ at }) => !isOwn(at) && !at.isMove);
  const count = call.text("count");
  if (count === undefined) return visible;
  if (!/^\d+$/.test(count)) throw usage(`${count} is no number of entries.`);
  return count === "0" ? [] : visible.slice(-Number(count));
}

/** Columns that a preview has beside a long label. */
const LEAST_PREVIEW = 10;

const SIDES = { left: "< ", right: "> " } as const;

interface LogRow extends LogEntry {
  readonly preview: string;
  readonly kind: string;
  readonly id: string;
  readonly label: string | null;
  readonly isLeaf: boolean;
}

function logLine(call: Call, row: LogRow): Piece[] {
  const { columns } = call.out;
  const side = row.side === null ? "" : SIDES[row.side];
  const time = row.at.timestamp.slice(0, 16).replace("T", " ");
  const gap = row.at.gap === null ? "" : "⚠ history is missing above ";
  const leaf = row.isLeaf ? " ◀ leaf" : "";
  // Everything but label and preview, and the blank before the preview.
  const fixed = displayWidth(safeLine(`${side}${row.id} ${time} ${gap}${row.kind}${leaf}`)) + 1;
  const labelRoom = Math.max(10, columns - fixed - LEAST_PREVIEW - 2);
  const label = row.label === null ? "" : ` :${truncate(safeLine(row.label), labelRoom)}`;
  const room = Math.max(LEAST_PREVIEW, columns - fixed - displayWidth(label));
  return [
    side,
    styled("id", row.id),
    " ",
    styled("faint", time),
    " ",
    styled("warning", gap),
    styled(styleOfKind(row.kind), row.kind),
    " ",
    truncate(safeLine(row.preview), room),
    styled("label", label),
    styled("leaf", leaf),
  ];
}

async function log(call: Call, session: Session): Promise<void> {
  const path = await logEntries(call, session);
  const ids = sessionShortIds(session.store);
  const labels = session.tree.labels();
  for (let from = 0; from < path.length; from += PAGE) {
    const page = path.slice(from, from + PAGE);
    const entries = await session.store.getAll(page.map(({ at }) => at.id));
    for (const [index, entry] of entries.entries()) {
      const { at, side } = page[index] as LogEntry;
      const preview = entryPreview(entry);
      const json = {
        ...entryRow(session, at, preview),
        timestamp: at.timestamp,
        gap: at.gap,
        side,
      };
      const label = labels.get(at.id)?.label ?? null;
      const isLeaf = at.id === session.position;
      const row = {
        at,
        side,
        preview,
        kind: entryKind(entry),
        id: ids.short(at.id),
        label,
        isLeaf,
      };
      call.out.either(json, () => [logLine(call, row)]);
    }
  }
}

/** The path to the leaf. */
export const logVerb: Verb = {
  name: "log",
  summary: "the path from the first entry to the leaf, one line each",
  example: "branchline log last --graph",
  arguments: [{ name: "session", about: "which session", kind: "session" }],
  options: [
    { name: "graph", about: "show the branches beside the path too" },
    { name: "at", value: "rev", about: "the path to REV; or A..B, A...B, leaves, forks" },
    { name: "count", short: "n", value: "count", about: "only the last COUNT entries" },
    { name: "all", about: "our own bookkeeping too" },
  ],
  async run(call) {
    const session = await call.sessions.open(call.sessionReference);
    if (call.has("graph") && !call.out.json) await draw(call, session, "path");
    else await log(call, session);
    return 0;
  },
};
