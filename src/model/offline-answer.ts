import type { Message } from "../entry/message.ts";
import type { ModelContext, ToolSpec } from "./model.ts";
import { callFor, namesIn, type OfflineCall, toolFor } from "./offline-calls.ts";
import { isSummaryRequest, offlineSummary } from "./offline-summary.ts";
import { CHINESE, ENGLISH, type OfflineTexts, WISH_NAMES } from "./offline-texts.ts";
import { isChinese, type Wish, wishesIn } from "./offline-wish.ts";
import { messagesForModel, type WireMessage, type WireToolResult } from "./wire-messages.ts";

/** What the offline model says to a context. */
export interface OfflineAnswer {
  readonly thinking: string;
  readonly text: string;
  readonly calls: readonly OfflineCall[];
}

/** Characters of a result that an answer repeats. */
const SHOWN = 700;
/** Characters of a result that a note repeats. */
const NOTED = 300;

function textOf(message: WireMessage | undefined): string {
  if (message === undefined || message.role === "system") return "";
  const texts = message.content.flatMap((block) => ("text" in block ? [block.text] : []));
  return texts.join("\n");
}

/** The last request and what came of it so far. */
interface Turn {
  readonly request: string;
  /** Batches of calls that were made for it. */
  readonly batches: number;
  readonly results: readonly WireToolResult[];
}

/** Only what a person said asks for something: the words of a summary do not. */
function turnOf(messages: readonly Message[]): Turn {
  const from = messages.findLastIndex(({ role }) => role === "user");
  if (from < 0) return { request: "", batches: 0, results: [] };
  const [request, ...after] = messagesForModel(messages.slice(from), { takesImages: false });
  const results = after.filter((message) => message.role === "toolResult");
  const batches = after.filter(({ role }) => role === "assistant").length;
  return { request: textOf(request), batches, results };
}

function cut(text: string, most: number, texts: OfflineTexts): string {
  if (text.length <= most) return text;
  // Half of a character is no text.
  const shown = text.slice(0, most).replace(/[\uD800-\uDBFF]$/, "");
  return `${shown}${texts.cut(text.length)}`;
}

function resultText(result: WireToolResult, texts: OfflineTexts): string {
  const label = (result.isError ? texts.failed : texts.done)(result.toolName);
  return `${label}\n${cut(textOf(result).trimEnd(), SHOWN, texts)}`;
}

function digest({ request, results }: Turn, texts: OfflineTexts): string {
  const lines = [texts.noteTitle, "", `${texts.asked}: ${request}`];
  for (const result of results) {
    lines.push("", `${texts.found(result.toolName)}:`, cut(textOf(result).trimEnd(), NOTED, texts));
  }
  return `${lines.join("\n")}\n`;
}

/** What is said where no tool is asked for. */
function plainText(
  messages: readonly WireMessage[],
  tools: readonly ToolSpec[],
  texts: OfflineTexts,
): string {
  const said = messages.filter(({ role }) => role !== "system");
  const first = (textOf(said[0]).split("\n")[0] ?? "").slice(0, 60);
  const abilities = tools.length > 0 ? texts.abilities : texts.noAbilities;
  const seen = texts.seen(said.length, first);
  return [`${texts.mark}${texts.cannot}`, seen, abilities, texts.connect].join("\n");
}

/** Steps for which there is a tool, and the kinds of wishes for which there is none. */
function possible(
  steps: readonly (readonly Wish[])[],
  tools: readonly ToolSpec[],
): { readonly steps: readonly (readonly Wish[])[]; readonly missing: readonly Wish["kind"][] } {
  const can = (wish: Wish): boolean => toolFor(wish.kind, tools) !== null;
  const missing = steps.flat().filter((wish) => !can(wish));
  return {
    steps: steps.map((step) => step.filter(can)).filter((step) => step.length > 0),
    missing: [...new Set(missing.map(({ kind }) => kind))],
  };
}

/** A file is asked for, none is named: the names come first, where they can be listed. */
function withListing(steps: readonly (readonly Wish[])[]): readonly (readonly Wish[])[] {
  const [first] = steps;
  const isOpen = first?.some(({ kind, path }) => kind === "read" && path === null) === true;
  return isOpen ? [[{ kind: "list", path: null, text: null }], ...steps] : steps;
}

/**
 * The answer to a context: the next batch of calls that the last request asks for, or, when all are made,
 * what came out; a summary where one is asked for. Pure.
 */
export function offlineAnswer({ messages, tools }: ModelContext): OfflineAnswer {
  const turn = turnOf(messages);
  const isInChinese = isChinese(turn.request);
  const texts = isInChinese ? CHINESE : ENGLISH;
  if (isSummaryRequest(turn.request)) {
    return { thinking: "", text: offlineSummary(turn.request, texts.mark.trim()), calls: [] };
  }
  const { steps, missing } = possible(withListing(wishesIn(turn.request)), tools);
  const calls = (steps[turn.batches] ?? []).flatMap((wish) => {
    const tool = toolFor(wish.kind, tools);
    const listed = turn.results.flatMap((result) => namesIn(textOf(result)));
    return tool === null ? [] : [callFor(wish, tool, { listed, digest: digest(turn, texts) })];
  });
  const planned = steps.flat().flatMap(({ kind }) => toolFor(kind, tools)?.name ?? []);
  const thinking = planned.length === 0 ? texts.noPlan : texts.plan(planned);
  if (calls.length > 0) return { thinking, text: "", calls };
  const names = WISH_NAMES[isInChinese ? "chinese" : "english"];
  const lacks = missing.length === 0 ? [] : [texts.missing(missing.map((kind) => names[kind]))];
  if (turn.results.length === 0) {
    const text = [plainText(messagesForModel(messages), tools, texts), ...lacks].join("\n");
    return { thinking, text, calls };
  }
  const shown = turn.results.map((result) => resultText(result, texts));
  return { thinking, text: [`${texts.mark}${shown.join("\n\n")}`, ...lacks].join("\n"), calls };
}
