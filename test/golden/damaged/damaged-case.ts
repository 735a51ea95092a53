/** One file of the damaged corpus: its bytes, and by hand what the engine must make of it. */
export interface DamagedCase {
  /** Stem of the file. */
  readonly name: string;
  readonly title: string;
  /** Row of the list of hostile inputs, or null for files beyond it. */
  readonly row: number | null;
  readonly bytes: Buffer;
  /** `CODE line [entryId]`; `CODE 2-4` spans lines; `CODE @` stands at the start of the file. */
  readonly problems: readonly string[];
  readonly entries: number;
  readonly leaf: string | null;
  /** One text a message of the context at the leaf; `<gap>` for a marker. */
  readonly context: readonly string[];
  readonly roots: readonly string[];
  /** What the row or promise demands. */
  readonly note: string;
  /** Code of the error instead of a session. */
  readonly error?: string;
  readonly readOnly?: boolean;
  /** Session id where it is not the usual one. */
  readonly id?: string;
}

/** What {@link damaged} fills in: the four messages of {@link FOUR}, undamaged. */
export function damaged(
  name: string,
  title: string,
  given: Partial<DamagedCase> & Pick<DamagedCase, "bytes" | "note">,
): DamagedCase {
  return {
    name,
    title,
    row: /^row-\d/.test(name) ? Number.parseInt(name.slice(4), 10) : null,
    problems: [],
    entries: 4,
    leaf: "d",
    context: ["one", "two", "three", "four"],
    roots: ["a"],
    ...given,
  };
}

const TIME = "2026-01-02T03:04:05.000Z";

type Members = Readonly<Record<string, unknown>>;

/** A header line. */
export function header(members: Members = {}): string {
  const base = { type: "session", version: 3, id: "damaged", timestamp: TIME, cwd: "/project" };
  return JSON.stringify({ ...base, ...members });
}

/** An entry line of any type. */
export function line(type: string, id: unknown, parentId: unknown, members: Members = {}): string {
  return JSON.stringify({ type, id, parentId, timestamp: TIME, ...members });
}

/** A user message. */
export function user(id: unknown, parentId: unknown, content: unknown): string {
  return line("message", id, parentId, { message: { role: "user", content } });
}

/** An assistant message of these blocks, or of one text. */
export function answer(id: unknown, parentId: unknown, content: unknown): string {
  const blocks = typeof content === "string" ? [{ type: "text", text: content }] : content;
  const message = { role: "assistant", content: blocks, provider: "p", model: "m" };
  return line("message", id, parentId, { message: { ...message, stopReason: "stop" } });
}

/** A tool call block. */
export function call(id: string): Members {
  return { type: "toolCall", id, name: "read", arguments: {} };
}

/** A tool result. */
export function result(id: string, parentId: string, toolCallId: string): string {
  const content = [{ type: "text", text: `result of ${toolCallId}` }];
  const message = { role: "toolResult", toolCallId, toolName: "read", content, isError: false };
  return line("message", id, parentId, { message });
}

/** The lines of a healthy session of four messages, header first. */
export const FOUR: readonly [string, string, string, string, string] = [
  header(),
  user("a", null, "one"),
  answer("b", "a", "two"),
  user("c", "b", "three"),
  answer("d", "c", "four"),
];

/** {@link FOUR} with some lines replaced (numbers from 1), or taken out where null. */
export function four(changes: Readonly<Record<number, string | Buffer | null>> = {}): Buffer {
  const all = FOUR.map((text, index) => (index + 1 in changes ? changes[index + 1] : text));
  return file(all.filter((each) => each !== null && each !== undefined));
}

/** Lines, each with its newline. */
export function file(lines: readonly (string | Buffer)[]): Buffer {
  return concat(lines.flatMap((each) => [each, "\n"]));
}

/** Texts and bytes one after the other. */
export function join(...parts: readonly (string | Buffer)[]): Buffer {
  return concat(parts);
}

function concat(parts: readonly (string | Buffer)[]): Buffer {
  return Buffer.concat(parts.map((part) => (typeof part === "string" ? Buffer.from(part) : part)));
}

/** What a lost third message leaves. */
export const WITHOUT_THREE: Pick<DamagedCase, "entries" | "context"> = {
  entries: 3,
  context: ["one", "two", "<gap>", "four"],
};
