import { isObject } from "../../entry/entry-check.ts";
import { GAP_TYPE } from "../../entry/own-state.ts";
import { resolveRevision } from "../../session/revision.ts";
import type { Session } from "../../session/session.ts";
import type { SessionContext } from "../../session/session-context.ts";
import { safeLine, safeText } from "../../view/safe-text.ts";
import { type Piece, styled } from "../color.ts";
import { messageLines } from "../entry-lines.ts";
import { styleOfKind } from "../tree-text.ts";
import type { Verb } from "../verb.ts";
import { truncate } from "../width.ts";

function json(session: Session, context: SessionContext): Readonly<Record<string, unknown>> {
  return {
    session: session.id,
    at: context.at,
    leaf: context.leaf,
    position: context.position,
    model: context.model,
    thinkingLevel: context.thinkingLevel,
    activeTools: context.activeTools,
    entries: context.entries,
    messages: context.messages,
    tokens: context.tokens,
    gaps: context.gaps,
    verified: context.verified,
    unproven: context.unproven,
  };
}

/** Lines of long texts that --short shows. */
const SHORT_LINES = 4;

/** Messages at the beginning and at the end that --short shows. */
const SHORT_MESSAGES = { first: 2, last: 7 };

interface TextOptions {
  readonly short: boolean;
  readonly columns: number;
  /** What the context is called: its entry, markers of ours left out. */
  readonly at: string;
}

function cut(piece: Piece, columns: number): Piece {
  const text = (typeof piece === "string" ? piece : piece.text).replace(/\s+/gu, " ");
  const short = truncate(safeText(text), columns);
  return typeof piece === "string" ? short : { ...piece, text: short };
}

function* shorten(
  lines: readonly (readonly Piece[])[],
  columns: number,
): Iterable<readonly Piece[]> {
  for (const line of lines.slice(0, SHORT_LINES))
    yield line.map((piece) => cut(piece, columns - 4));
  const rest = lines.length - SHORT_LINES;
  if (rest > 0) yield [styled("faint", rest === 1 ? "… 1 more line" : `… ${rest} more lines`)];
}

/** The context as a person reads it: settings, then one block for each message. */
function* lines(context: SessionContext, options: TextOptions): Iterable<readonly Piece[]> {
  const { model, thinkingLevel, activeTools, tokens, messages, gaps } = context;
  const modelText = model === null ? "no model" : `${model.provider}/${model.modelId}`;
  const tools = activeTools === null ? "" : ` · tools ${activeTools.join(", ")}`;
  yield [styled("strong", `context at ${options.at}`)];
  yield [safeLine(`${modelText} · thinking ${thinkingLevel}${tools}`)];
  const count = `${messages.length} messages · about ${tokens.toLocaleString("en-US")} tokens`;
  yield [gaps.length === 0 ? count : `${count} · `, styled("warning", gapCount(gaps.length))];
  if (!context.verified) yield [styled("faint", endNote(context.unproven))];
  const { first, last } = SHORT_MESSAGES;
  const left = options.short ? messages.length - first - last : 0;
  for (const index of messages.keys()) {
    if (left > 1 && index === first) yield [styled("faint", `\n… ${left} messages …`)];
    if (left <= 1 || index < first || index >= first + left) {
      yield* messageBlock(context, index, options);
    }
  }
}

function* messageBlock(
  context: SessionContext,
  index: number,
  options: TextOptions,
): Iterable<readonly Piece[]> {
  const body: unknown = context.messages[index];
  if (!isObject(body)) return;
  const role = String(body.role);
  const isGap = body.customType === GAP_TYPE;
  const title = styled(
    isGap ? "warning" : styleOfKind(role),
    isGap ? "⚠ history is missing" : role,
  );
  yield [];
  yield [title, styled("faint", `  ${context.sources[index] ?? ""}`)];
  const whole = messageLines(body);
  yield* options.short ? shorten(whole, options.columns) : whole;
}

function gapCount(gaps: number): string {
  if (gaps === 0) return "";
  return gaps === 1 ? "1 gap" : `${gaps} gaps`;
}

/** Said where the answer comes from the end of the session alone. */
function endNote(unproven: SessionContext["unproven"]): string {
  const likely = unproven.length === 0 ? "" : `; most likely only: ${unproven.join(", ")}`;
  return `from the end of the session, the rest was not looked at${likely}`;
}

/** What the model receives. */
export const contextVerb: Verb = {
  name: "context",
  summary: "exactly what the model receives at the leaf or at any entry",
  example: "branchline context last --at @ --at @~2",
  arguments: [{ name: "session", about: "which session", kind: "session" }],
  options: [
    { name: "at", value: "rev", repeat: true, about: "at this entry; may stand several times" },
    { name: "raw", about: "Pi's exact projection: gaps not bridged, pairs not completed" },
    { name: "short", about: "only some messages, and the beginning of long texts" },
  ],
  async run(call) {
    const revisions = call.texts("at");
    // A revision and Pi's projection need all of the session; the context at the leaf its end only.
    const tailFirst = revisions.length === 0 && !call.has("raw");
    const session = await call.sessions.open(call.sessionReference, { tailFirst });
    for (const revision of revisions.length === 0 ? [null] : revisions) {
      const at = revision === null ? session.leaf : await resolveRevision(session, revision);
      const context = await session.context({ at, raw: call.has("raw") });
      const title = session.tree.position(at) ?? "root";
      const options = { short: call.has("short"), columns: call.out.columns, at: title };
      call.out.either(json(session, context), () => lines(context, options));
    }
    return 0;
  },
};
