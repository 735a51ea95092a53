/** Texts that do something where they are taken for markup, script or an address (reliability.md S5, S6). */
export const PAYLOADS: readonly string[] = [
  "<img src=x onerror=\"window.hit='img'\">",
  "</script><script>window.hit='script'</script><!--",
  "[x](javascript:window.hit='link') <a href=\"java\u0001script:window.hit='a'\">y</a>",
  "\"'><svg/onload=window.hit='svg'>\u2028window.hit='line'//",
  "![x](https://evil.example/beacon.png) <iframe srcdoc=\"<script>parent.hit='frame'</script>\">",
  "<!--<script>--><math><mtext></title><style>@import 'https://evil.example/x.css';</style>{{7*7}}$" +
    "{window.hit='t'}",
];

type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };
interface Members {
  readonly [name: string]: Json;
}

const USAGE = { input: 1, output: 2, cacheRead: 0, cacheWrite: 0, totalTokens: 3 };

const message = (body: Members): Members => ({ type: "message", message: body });

/** One entry of each type and role with all members that it may have. */
const SHAPES: readonly Members[] = [
  message({ role: "system", content: "text", sections: { intro: "text" }, toolsAdded: ["text"] }),
  message({ role: "user", content: "text" }),
  message({
    role: "user",
    content: [
      { type: "text", text: "text", textSignature: "text" },
      { type: "image", data: "iVBORw0KGgo=", mimeType: "image/png" },
      { type: "other", value: "text" },
    ],
  }),
  message({
    role: "assistant",
    provider: "text",
    model: "text",
    api: "text",
    stopReason: "text",
    errorMessage: "text",
    usage: USAGE,
    content: [
      { type: "text", text: "text" },
      { type: "thinking", thinking: "text", thinkingSignature: "text" },
      {
        type: "toolCall",
        id: "call",
        name: "text",
        arguments: { path: "text", oldText: "text", newText: "text", command: "text" },
        argumentsError: "text",
      },
    ],
  }),
  message({
    role: "toolResult",
    toolCallId: "call",
    toolName: "text",
    content: [{ type: "text", text: "text" }],
    details: { diff: "text" },
    isError: true,
  }),
  message({
    role: "bashExecution",
    command: "text",
    output: "text",
    exitCode: 1,
    fullOutputPath: "text",
  }),
  message({ role: "custom", customType: "text", content: "text", details: "text" }),
  message({ role: "someone", content: "text", name: "text" }),
  { type: "model_change", provider: "text", modelId: "text" },
  { type: "thinking_level_change", thinkingLevel: "text" },
  { type: "active_tools_change", activeToolNames: ["text"] },
  { type: "usage", kind: "text", provider: "text", model: "text", usage: USAGE, note: "text" },
  { type: "branch_summary", fromId: "text", summary: "text", details: "text" },
  { type: "context_edit", targetId: "h1", replacement: { content: "text" } },
  { type: "custom", customType: "text", data: { value: "text" } },
  { type: "custom_message", customType: "text", content: "text", display: true, details: "text" },
  { type: "label", targetId: "h1", label: "text" },
  { type: "session_info", name: "text" },
  { type: "compaction", summary: "text", firstKeptEntryId: "h2", tokensBefore: 9, details: "text" },
  { type: "unheard_of", text: "text" },
];

/** Members that say what an entry is: with another text in them the rest would not be shown. */
const SHAPING = new Set(["type", "role", "targetId", "firstKeptEntryId"]);

/** Ways to all texts of a value. */
function leavesOf(value: Json, way: readonly string[] = []): readonly (readonly string[])[] {
  if (typeof value === "string") return [way];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => leavesOf(inner as Json, [...way, name]));
}

function withText(value: Json, way: readonly string[], text: string): Json {
  const [name, ...rest] = way;
  if (name === undefined) return text;
  if (Array.isArray(value)) {
    return value.map((one, at) => (String(at) === name ? withText(one, rest, text) : one));
  }
  const members = value as Members;
  return { ...members, [name]: withText(members[name] ?? null, rest, text) };
}

/** One text of one shape. */
export interface Leaf {
  readonly shape: number;
  readonly way: readonly string[];
}

/** Every text of every shape. */
export const LEAVES: readonly Leaf[] = SHAPES.flatMap((shape, at) =>
  leavesOf(shape).map((way) => ({ shape: at, way })),
);

/** Lines of a session file with one entry of each shape, one text of them replaced. */
export function sessionWithLeaf({ shape, way }: Leaf, text: string): string {
  return sessionText(
    SHAPES.map((one, at) => (at === shape ? (withText(one, way, text) as Members) : one)),
  );
}

/** The same with every text replaced but those that say what an entry is. */
export function sessionWithAll(text: string): string {
  return sessionText(
    SHAPES.map((shape) => {
      const ways = leavesOf(shape).filter((way) => !SHAPING.has(way.at(-1) ?? ""));
      return ways.reduce<Json>((made, way) => withText(made, way, text), shape) as Members;
    }),
    text,
  );
}

function sessionText(entries: readonly Members[], cwd = "/srv/project"): string {
  const timestamp = "2026-01-01T00:00:00.000Z";
  const header = { type: "session", version: 3, id: "hostile", timestamp, cwd };
  const lines = entries.map((entry, at) => ({
    ...entry,
    id: `h${at}`,
    parentId: at === 0 ? null : `h${at - 1}`,
    timestamp,
  }));
  return `${[header, ...lines].map((line) => JSON.stringify(line)).join("\n")}\n`;
}
