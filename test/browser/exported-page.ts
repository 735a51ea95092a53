import { writeFileSync } from "node:fs";
import path from "node:path";
import { type ExportOptions, exportSession } from "../../src/export/export.ts";
import { Session } from "../../src/session/session.ts";
import { createJsonlStore } from "../../src/store/jsonl/jsonl-store.ts";

/** Time from an exported file of 10,000 entries to its first row, in ms, at most (product budgets). */
export const OPEN_MS = 1500;

/** What is exported: the text of a session file, into a folder, in the page of {@link exportTemplate}. */
export interface PageSource {
  readonly folder: string;
  readonly template: string;
  readonly text: string;
}

/** Writes a session's page to disk and gives the path of the file. */
export async function writePage(
  { folder, template, text }: PageSource,
  options: Partial<ExportOptions> = {},
): Promise<string> {
  const source = path.join(folder, "session.jsonl");
  writeFileSync(source, text);
  await using store = createJsonlStore({ root: folder });
  await using session = await Session.attach(await store.openFile(source));
  const pieces: string[] = [];
  const page = { template, version: "1", now: new Date(0) };
  const all = { to: "html", at: session.leaf, scope: "all", redaction: null, page } as const;
  for await (const piece of exportSession(session, { ...all, ...options })) pieces.push(piece);
  const file = path.join(folder, "session.html");
  writeFileSync(file, pieces.join(""));
  return file;
}

/** Runs before the page: notes when the first row is there, by its own clock. Playwright's way takes as long again. */
export const NOTE_FIRST_ROW: string = `new MutationObserver((_, observer) => {
  if (document.querySelector(".row-place .entry[data-entry]") === null) return;
  window.firstRow = performance.now();
  observer.disconnect();
}).observe(document, { childList: true, subtree: true })`;
