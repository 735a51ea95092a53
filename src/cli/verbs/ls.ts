import path from "node:path";
import type { SessionSummary } from "../../store/store.ts";
import { safeLine } from "../../view/safe-text.ts";
import { age, parseSince } from "../age.ts";
import { type Piece, styled } from "../color.ts";
import { counted } from "../counted.ts";
import { shortIds } from "../short-ids.ts";
import type { Call, Verb } from "../verb.ts";
import { displayWidth, fit, fitRight, truncate } from "../width.ts";

/** Rows that text output shows without --all. */
const SCREENFUL = 40;

interface Column {
  readonly title: string;
  readonly toTheRight?: true;
  text(row: SessionSummary): string;
}

function columnsFor(rows: readonly SessionSummary[], now: number): readonly Column[] {
  const ids = shortIds(rows.map((row) => row.id));
  return [
    { title: "id", text: (row) => ids.short(row.id) },
    { title: "age", toTheRight: true, text: (row) => age(row.modified, now) },
    { title: "entries", toTheRight: true, text: (row) => String(row.entries) },
    { title: "branches", toTheRight: true, text: (row) => String(row.branches) },
  ];
}

/** A table whose title column takes the room that is left; wide characters count as two columns. */
function* table(rows: readonly SessionSummary[], columns: number): Iterable<readonly Piece[]> {
  const fixed = columnsFor(rows, Date.now()).map((column) => {
    const texts = rows.map((row) => column.text(row));
    const width = texts.reduce((w, text) => Math.max(w, displayWidth(text)), column.title.length);
    const toWidth = column.toTheRight === true ? fitRight : fit;
    return { texts, width, cell: (text = column.title) => toWidth(text, width) };
  });
  const used = fixed.reduce((sum, { width }) => sum + width + 2, 0);
  const room = Math.max(24, columns - used);
  const folderWidth = Math.min(30, Math.floor(room / 3));
  const titleWidth = room - folderWidth - 2;
  const head = fixed.map(({ cell }) => cell()).join("  ");
  yield [styled("faint", `${head}  ${fit("title", titleWidth)}  folder`)];
  for (const [at, row] of rows.entries()) {
    const [id = "", ...numbers] = fixed.map(({ texts, cell }) => cell(texts[at]));
    const title = fit(safeLine(row.title ?? "(empty)"), titleWidth);
    const folder = truncate(safeLine(row.cwd), folderWidth);
    yield [styled("id", id), `  ${numbers.join("  ")}  ${title}  `, styled("faint", folder)];
  }
}

function* sentences(rows: readonly SessionSummary[]): Iterable<readonly Piece[]> {
  for (const row of rows) {
    const title = safeLine(row.title ?? "without a title");
    const entries = counted(row.entries, "entry", "entries");
    const size = `${entries}, ${counted(row.branches, "branch", "branches")}`;
    const used =
      row.modified === "" ? "nobody knows when it was used" : `last used ${row.modified}`;
    yield [`Session ${row.id}: ${title}. ${size}, ${used}, in ${safeLine(row.cwd)}.`];
  }
}

async function listTrash(call: Call): Promise<void> {
  const seen = new Set<string>();
  for (const { store } of call.sessions.roots) {
    for (const one of await store.listTrash()) {
      const key = `${one.id} ${one.path}`;
      if (seen.has(key)) continue;
      seen.add(key);
      call.out.either(one, () => [[styled("id", one.id), `  thrown away ${one.trashed}`]]);
    }
  }
  if (seen.size === 0 && !call.out.json) call.out.talk("The trash is empty.");
}

async function collect(call: Call): Promise<readonly SessionSummary[]> {
  const cwd = call.text("cwd");
  const agent = call.text("agent");
  const sinceText = call.text("since");
  const label = call.text("label");
  const since = sinceText === undefined ? "" : parseSince(sinceText, Date.now());
  let skipped = 0;
  let example = "";
  const rows = await call.sessions.list({
    ...(cwd === undefined ? {} : { cwd: path.resolve(call.io.cwd, cwd) }),
    onSkip: (skip) => {
      skipped++;
      example = skip.reason.includes(skip.path) ? skip.reason : `${skip.path}: ${skip.reason}`;
    },
  });
  if (skipped > 0) {
    const files = counted(skipped, "file was", "files were");
    call.out.talk(styled("faint", `note: ${files} skipped: ${example}`));
  }
  return rows.filter(
    (row) =>
      (agent === undefined || row.agent === agent) &&
      (label === undefined || row.labels.includes(label)) &&
      (!call.has("diverged") || row.diverged) &&
      row.modified >= since,
  );
}

/** The list of sessions. */
export const lsVerb: Verb = {
  name: "ls",
  summary: "list sessions, newest first",
  example: "branchline ls --since 7d",
  arguments: [],
  options: [
    { name: "all", about: `all rows, not only the newest ${SCREENFUL}` },
    { name: "cwd", value: "dir", about: "only sessions of this folder" },
    { name: "agent", value: "name", about: "only sessions made by this program" },
    { name: "since", value: "time", about: "used since a date, or for example 7d or 12h" },
    { name: "label", value: "text", about: "only sessions where this label is in force" },
    { name: "diverged", about: "only where entries hang side by side without a mark" },
    { name: "trash", about: "what was thrown away" },
  ],
  async run(call) {
    if (call.has("trash")) {
      await listTrash(call);
      return 0;
    }
    const rows = await collect(call);
    if (call.out.json) {
      for (const row of rows) call.out.object(row);
      return 0;
    }
    if (rows.length === 0) call.out.talk("No sessions. `branchline new` starts one.");
    const shown = call.has("all") ? rows : rows.slice(0, SCREENFUL);
    const lines = call.out.plain ? sentences(shown) : table(shown, call.out.columns);
    if (rows.length > 0) for (const line of lines) call.out.line(...line);
    const rest = rows.length - shown.length;
    if (rest > 0) call.out.talk(styled("faint", `… ${rest} more, see them with --all`));
    return 0;
  },
};
