import { readRange, recall } from "../compaction/recall.ts";
import type { Entry } from "../entry/entry.ts";
import { entryText } from "../index/entry-text.ts";
import type { Session } from "../session/session.ts";
import { cutText } from "./cut-text.ts";
import type { Tool, ToolOutput } from "./tool.ts";

/** Most characters (UTF-16 units) that one answer shows, and of one entry in it. */
const MAX_ANSWER = 8000;
const MAX_ENTRY = 2000;

/**
 * `recall`: the model searches and reads what compactions took out of its context. Everything comes from
 * the path of the session's leaf, so nothing of another branch gets in.
 */
export function createRecallTool(session: Session): Tool {
  return {
    name: "recall",
    label: "Recall",
    description:
      "Searches what was said earlier and is no longer in the context (query), or reads on around a message that was found (entry).",
    parameters: {
      type: "object",
      properties: {
        query: { type: "string", minLength: 1, description: "Words, or a phrase in quotes." },
        entry: { type: "string", description: "Id of a message that a search has found." },
        before: { type: "integer", minimum: 0, maximum: 20 },
        after: { type: "integer", minimum: 0, maximum: 20 },
        limit: { type: "integer", minimum: 1, maximum: 20 },
      },
      additionalProperties: false,
    },
    replay: "safe",
    async execute(args, { signal }) {
      const { query, entry } = args;
      if (typeof entry === "string") {
        const around = { before: numberOf(args.before), after: numberOf(args.after) };
        return say(rangeText(await readRange(session, { entry, ...around, signal })));
      }
      if (typeof query !== "string") return fail("Give a query, or the id of an entry.");
      const hits = await recall(session, { query, limit: numberOf(args.limit), signal });
      if (hits.length === 0) return say("Nothing was found.");
      const lines = hits.map((hit) => {
        const who = hit.role ?? hit.type;
        return `[${hit.entry}] ${hit.timestamp} ${who}: ${hit.excerpt.text}`;
      });
      return say(cutText(lines.join("\n"), MAX_ANSWER));
    },
  };
}

function rangeText(entries: readonly Entry[]): string {
  const texts = entries.map((entry) => {
    const { pieces, role, type } = entryText(entry);
    return `[${entry.id}] ${entry.timestamp} ${role ?? type}:\n${shortened(pieces.join("\n"), MAX_ENTRY)}`;
  });
  return texts.length === 0 ? "Nothing stands there." : shortened(texts.join("\n\n"), MAX_ANSWER);
}

function shortened(text: string, length: number): string {
  const cut = cutText(text, length);
  return cut.length === text.length ? text : `${cut}\n(cut: ${text.length} characters in all)`;
}

function numberOf(value: unknown): number | undefined {
  return typeof value === "number" ? value : undefined;
}

function say(text: string): ToolOutput {
  return { content: [{ type: "text", text }] };
}

function fail(text: string): ToolOutput {
  return { ...say(text), isError: true };
}
