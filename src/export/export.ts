import { BranchlineError } from "../errors.ts";
import type { ExportScope } from "../protocol/export.ts";
import type { RedactionReview } from "../redaction/redaction-review.ts";
import { type RedactionOptions, Redactor } from "../redaction/redactor.ts";
import type { Session } from "../session/session.ts";
import { isOwn } from "../tree/session-tree.ts";
import { planExport } from "./export-plan.ts";
import { exportedEntries } from "./exported-entries.ts";
import type { PageOptions } from "./html-export.ts";

/** A page, Markdown, or a session file that Pi opens. */
export type ExportFormat = "html" | "md" | "jsonl";

/** Formats in the order of the help. */
export const EXPORT_FORMATS: readonly ExportFormat[] = ["html", "md", "jsonl"];

/** What is exported and how. */
export interface ExportOptions {
  readonly to: ExportFormat;
  /** End of the path, or the leaf of the whole tree. */
  readonly at: string | null;
  /** Default "path". Throws NOT_SUPPORTED for "all" in Markdown. */
  readonly scope?: ExportScope;
  /** What is taken out; null = nothing. */
  readonly redaction: RedactionOptions | null;
  /** For pages. Throws NOT_SUPPORTED where a page is asked for without. */
  readonly page?: PageOptions;
}

/** Formats that people show to each other are redacted unless somebody says otherwise (S15). */
export function isRedactedByDefault(to: ExportFormat): boolean {
  return to !== "jsonl";
}

/**
 * A session as text, piece by piece; never more than a page of entries in memory, never a change to the
 * session. Throws NOT_SUPPORTED and what the store throws.
 *
 * @example
 * for await (const piece of exportSession(session, { to: "md", at: session.leaf, redaction: {} })) out.write(piece);
 */
export async function* exportSession(
  session: Session,
  options: ExportOptions,
): AsyncGenerator<string, void, undefined> {
  const { to, at, scope = "path", page } = options;
  await session.whenVerified();
  const plan = planExport(session, at, scope);
  const redactor = options.redaction === null ? null : new Redactor(options.redaction);
  // Each format is loaded when it is asked for.
  if (to === "jsonl") {
    const { jsonlExport } = await import("./jsonl-export.ts");
    yield* jsonlExport(session, plan, redactor);
    return;
  }
  if (to === "html") {
    if (page === undefined) throw missing("pages: the page is not built");
    const { htmlExport } = await import("./html-export.ts");
    yield* htmlExport({ session, plan, redactor }, page);
    return;
  }
  if (scope === "all") throw missing("Markdown of all branches");
  const { markdownEntry, markdownHeading } = await import("./markdown-export.ts");
  const heading = {
    title: session.tree.name() ?? `Session ${session.id}`,
    session: session.id,
    cwd: session.header.cwd,
    created: session.header.timestamp,
    entries: session.tree.path(at).filter((one) => !isOwn(one)).length,
  };
  yield `${markdownHeading(redactor === null ? heading : redactor.data(heading, "session"))}\n`;
  for await (const { entry } of exportedEntries(session, plan, redactor)) {
    yield `${markdownEntry(entry)}\n`;
  }
}

function missing(feature: string): BranchlineError {
  const message = `Not available: ${feature}.`;
  return new BranchlineError("NOT_SUPPORTED", { feature }, { message });
}

/** What an export of the same entries would take out. Nothing is written. */
export async function reviewSession(
  session: Session,
  options: Pick<ExportOptions, "at" | "scope"> & { readonly redaction: RedactionOptions },
): Promise<RedactionReview> {
  await session.whenVerified();
  const plan = planExport(session, options.at, options.scope ?? "path");
  const redactor = new Redactor(options.redaction);
  redactor.data({ name: session.tree.name(), cwd: session.header.cwd }, "session");
  for await (const _entry of exportedEntries(session, plan, redactor)) {
    // Looking is enough: the redactor keeps what it found.
  }
  return redactor.review();
}
