import type { Entry } from "../../entry/entry.ts";
import { isEntry, isObject } from "../../entry/entry-check.ts";
import type { Session } from "../../session/session.ts";
import { safeLine } from "../../view/safe-text.ts";
import { type Piece, styled } from "../color.ts";
import { entryLines } from "../entry-lines.ts";
import { openEntry } from "../session-call.ts";
import { branchTitle } from "../tree-text.ts";
import type { Verb } from "../verb.ts";

function describe(session: Session, entry: Entry): Readonly<Record<string, unknown>> {
  const { tree, store } = session;
  const at = tree.get(entry.id);
  return {
    session: session.id,
    entry,
    parentId: at?.parent?.id ?? null,
    children: tree.children(entry.id).map((child) => child.id),
    depth: at?.fold.depth ?? 0,
    branch: at?.fold.branch ?? null,
    label: tree.labels().get(entry.id)?.label ?? null,
    model: at?.fold.model ?? null,
    thinkingLevel: at?.fold.thinkingLevel ?? "off",
    gap: at?.gap ?? null,
    place: store.placeOf(entry.id),
  };
}

function usageText(entry: Entry): string | null {
  const message: unknown = isEntry(entry, "message") ? entry.message : entry;
  if (!isObject(message) || !isObject(message.usage)) return null;
  const { input, output, cacheRead, cost } = message.usage;
  const dollars = isObject(cost) && typeof cost.total === "number" ? `, $${cost.total}` : "";
  return `${String(input)} tokens in, ${String(output)} out, ${String(cacheRead ?? 0)} from the cache${dollars}`;
}

function* lines(session: Session, entry: Entry): Iterable<readonly Piece[]> {
  const { tree, store } = session;
  const at = tree.get(entry.id);
  const fact = (name: string, value: string): Piece[] => [
    styled("faint", name.padEnd(10)),
    safeLine(value),
  ];
  yield fact("entry", `${entry.id}  (${entry.type})`);
  yield fact("time", entry.timestamp);
  yield fact("parent", at?.parent?.id ?? "none, a root");
  if (at !== undefined && at.gap !== null) {
    yield [styled("warning", `⚠ its stored parent ${safeLine(at.gap.missingId)} cannot be read`)];
  }
  const children = tree.children(entry.id);
  yield fact("children", children.length === 0 ? "none" : children.map((c) => c.id).join(" "));
  const branch = tree.branch(at?.fold.branch ?? "main");
  if (branch !== undefined) yield fact("branch", branchTitle(branch));
  const label = tree.labels().get(entry.id);
  if (label !== undefined) yield fact("label", label.label);
  const model = at?.fold.model ?? null;
  if (model !== null) yield fact("model", `${model.provider}/${model.modelId}`);
  const used = usageText(entry);
  if (used !== null) yield fact("usage", used);
  const place = store.placeOf(entry.id);
  if (place !== null) {
    yield fact("place", `line ${place.line}, bytes ${place.byteStart}–${place.byteEnd}`);
  }
  yield [];
  yield* entryLines(entry);
}

/** One entry, whole. */
export const showVerb: Verb = {
  name: "show",
  summary: "one entry whole: text, tools, usage, parent, children, place in the file",
  example: "branchline show :checkpoint-1 -s last",
  arguments: [{ name: "rev", about: "which entry; default the leaf", kind: "revision" }],
  options: [{ name: "raw", about: "the entry as JSON, and nothing else" }],
  async run(call) {
    const { session, id } = await openEntry(call, call.words[0]);
    const entry = await session.store.mustGet(id);
    if (call.has("raw")) call.out.object(entry);
    else call.out.either(describe(session, entry), () => lines(session, entry));
    return 0;
  },
};
