import type { ExportHead } from "../protocol/export.ts";
import type { EntryPreview, TreeColumns } from "../protocol/tree.ts";
import type { Redactor } from "../redaction/redactor.ts";
import type { Session } from "../session/session.ts";
import { EMPTY_FOLD } from "../tree/fold.ts";
import { kindOf } from "../view/entry-kind.ts";
import { entryTokens, previewOf } from "../view/entry-view.ts";
import type { ExportPlan } from "./export-plan.ts";
import { type ExportedEntry, exportedEntries } from "./exported-entries.ts";
import { BlockWriter, headElement } from "./page-blocks.ts";
import { contextCuts, editEffect, originalPlaces } from "./path-contexts.ts";

/** What a page is made from besides the session. */
export interface PageOptions {
  /** The built page with its two marks (`web/dist/export.html`). */
  readonly template: string;
  readonly version: string;
  readonly now: Date;
}

/** Where the template takes the title and the data. */
export const TITLE_MARK = "<!--branchline:title-->";
/** See {@link TITLE_MARK}. */
export const DATA_MARK = "<!--branchline:data-->";

/** What is known of the entries after all were written. */
interface Written {
  title: string | null;
  readonly ids: string[];
  readonly tokens: number[];
  readonly edits: ExportHead["edits"][number][];
}

/**
 * One page with the session in it, piece by piece: no more than a block is held in memory. The page works
 * from disk without a network.
 */
export async function* htmlExport(
  job: { readonly session: Session; readonly plan: ExportPlan; readonly redactor: Redactor | null },
  options: PageOptions,
): AsyncGenerator<string, void, undefined> {
  const { session, plan, redactor } = job;
  const [before = "", after = ""] = options.template.split(DATA_MARK);
  const about = describe(session, redactor);
  yield before.replace(TITLE_MARK, () => escapeHtml(about.name ?? about.id));
  const written: Written = { title: null, ids: [], tokens: [], edits: [] };
  const previews = new BlockWriter("previews");
  const entries = new BlockWriter("entries");
  for await (const exported of exportedEntries(session, plan, redactor)) {
    const preview = previewFor(job, exported, written.ids);
    written.ids.push(exported.entry.id);
    if (preview.kind === "u") written.title ??= preview.text;
    written.tokens.push(preview.tokens);
    const edit = await editEffect(session, plan, exported);
    if (edit !== undefined) written.edits.push(edit);
    const full = [
      await previews.add(JSON.stringify(preview)),
      await entries.add(JSON.stringify(exported.entry, withoutSignatures)),
    ];
    for (const element of full) if (element !== null) yield element;
  }
  for (const element of [await previews.end(), await entries.end()]) {
    if (element !== null) yield element;
  }
  yield await headElement({
    format: 1,
    version: options.version,
    exported: options.now.toISOString(),
    scope: plan.scope,
    session: { ...about, title: written.title },
    ...standing(session, plan),
    redaction: redactor === null ? null : summaryOf(redactor),
    columns: columnsOf(job, written),
    ...contextCuts(session, plan),
    compactions: originalPlaces(session, plan),
    edits: written.edits,
    previews: previews.starts,
    entries: entries.starts,
  });
  yield after;
}

function summaryOf(redactor: Redactor): ExportHead["redaction"] {
  const { total, kinds } = redactor.review();
  return { total, kinds: kinds.map(({ kind, count }) => ({ kind, count })) };
}

function describe(
  session: Session,
  redactor: Redactor | null,
): Omit<ExportHead["session"], "title"> {
  const { header } = session;
  const about = {
    id: session.id,
    name: session.tree.name(),
    cwd: String(header.cwd ?? ""),
    created: header.timestamp,
  };
  return redactor === null ? about : redactor.data(about, "session");
}

function standing(session: Session, plan: ExportPlan): Pick<ExportHead, "model" | "thinkingLevel"> {
  const leaf = plan.leafId === null ? undefined : session.tree.get(plan.leafId);
  const { model, thinkingLevel } = leaf?.fold ?? EMPTY_FOLD;
  return { model, thinkingLevel };
}

interface Job {
  readonly session: Session;
  readonly plan: ExportPlan;
  readonly redactor: Redactor | null;
}

function previewFor(job: Job, exported: ExportedEntry, ids: readonly string[]): EntryPreview {
  const { at, place, entry, original } = exported;
  const label = job.session.tree.labels().get(at.id)?.label ?? null;
  return {
    ...previewOf(at, entry, label === null ? null : redacted(job.redactor, label)),
    place,
    id: entry.id,
    parentId: ids[job.plan.parents[place] as number] ?? null,
    // What the model saw, not what is left of it.
    tokens: entryTokens(original),
  };
}

function redacted(redactor: Redactor | null, label: string): string {
  return redactor === null ? label : redactor.data(label, "label");
}

/** Signatures belong to the provider and say nothing to a reader; they are as long as the thoughts. */
function withoutSignatures(name: string, value: unknown): unknown {
  return /(?:Signature|encrypted_content|encryptedContent)$/.test(name) ? undefined : value;
}

function columnsOf({ session, plan, redactor }: Job, written: Written): TreeColumns {
  const { entries, parents, leaf } = plan;
  const placed = (id: string): number =>
    entries[plan.placeOf(id)]?.id === id ? plan.placeOf(id) : -1;
  return {
    revision: "export",
    size: entries.length,
    from: 0,
    parents: parents.map((parent, place) => (parent < 0 ? 0 : place - parent)),
    kinds: entries.map(kindOf).join(""),
    tokens: written.tokens,
    leaf,
    position: leaf,
    knots: knotsOf(plan, written.ids),
    labels: [...session.tree.labels().values()]
      .filter(({ targetId }) => placed(targetId) >= 0)
      .map(({ targetId, label }) => [placed(targetId), redacted(redactor, label)]),
    branches: branchesOf(session, plan, redactor),
  };
}

function branchesOf(
  session: Session,
  plan: ExportPlan,
  redactor: Redactor | null,
): TreeColumns["branches"] {
  if (plan.scope === "path") return [];
  return session.tree.branches().map(({ id, name, head, archived }) => ({
    id,
    name: name === null ? null : redacted(redactor, name),
    archived,
    start: id === "main" ? 0 : plan.placeOf(id),
    head: plan.placeOf(head),
  }));
}

/** Entries that the tree names by id: all but those with exactly one child. */
function knotsOf({ parents }: ExportPlan, ids: readonly string[]): TreeColumns["knots"] {
  const children = new Uint32Array(ids.length);
  for (const parent of parents) if (parent >= 0) children[parent] = (children[parent] ?? 0) + 1;
  return ids.flatMap((id, place) => (children[place] === 1 ? [] : [[place, id] as const]));
}

function escapeHtml(text: string): string {
  const line = text.replace(/[\s\p{Cc}]+/gu, " ").slice(0, 200);
  return line.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
