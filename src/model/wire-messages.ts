import { isObject } from "../entry/entry-check.ts";
import type {
  AssistantMessage,
  ImageBlock,
  Message,
  TextBlock,
  ThinkingBlock,
  ToolCallBlock,
  ToolResultMessage,
} from "../entry/message.ts";

/** Standing instructions, as one text. */
export interface WireSystemMessage {
  readonly role: "system";
  readonly content: string;
  readonly timestamp: number;
}

/** What stands on the side of the user: what a person said, and what we say about the session. */
export interface WireUserMessage {
  readonly role: "user";
  /** Never empty. */
  readonly content: readonly (TextBlock | ImageBlock)[];
  readonly timestamp: number;
}

/** An answer, whole. */
export interface WireAssistantMessage extends AssistantMessage {
  /** Never empty. */
  readonly content: readonly (TextBlock | ThinkingBlock | ToolCallBlock)[];
  readonly timestamp: number;
}

/** The result of a call of the answer before it. */
export interface WireToolResult extends ToolResultMessage {
  /** Never empty. */
  readonly content: readonly (TextBlock | ImageBlock)[];
  readonly timestamp: number;
}

/** A message of one of the four roles that providers know, without anything that they would refuse. */
export type WireMessage =
  | WireSystemMessage
  | WireUserMessage
  | WireAssistantMessage
  | WireToolResult;

/** What the model takes. */
export interface WireOptions {
  /** False puts a note in the place of each image. Default true. */
  readonly takesImages?: boolean;
}

type Members = Readonly<Record<string, unknown>>;

const NO_IMAGE = "(image left out: this model takes no images)";
const FAILED: ReadonlySet<unknown> = new Set(["error", "aborted"]);

const timeOf = (message: Members): number =>
  typeof message.timestamp === "number" ? message.timestamp : 0;

const textBlock = (text: string): TextBlock => ({ type: "text", text });

function isText(block: unknown): block is TextBlock {
  return isObject(block) && block.type === "text" && typeof block.text === "string";
}

function isImage(block: unknown): block is ImageBlock {
  if (!isObject(block) || block.type !== "image") return false;
  return typeof block.data === "string" && typeof block.mimeType === "string";
}

function isThinking(block: unknown): block is ThinkingBlock {
  return isObject(block) && block.type === "thinking" && typeof block.thinking === "string";
}

/** True for a call that can be sent and answered. */
export function isToolCall(block: unknown): block is ToolCallBlock {
  if (!isObject(block) || block.type !== "toolCall" || !isObject(block.arguments)) return false;
  return typeof block.id === "string" && typeof block.name === "string";
}

function blocksOf(content: unknown): readonly unknown[] {
  if (typeof content === "string") return [textBlock(content)];
  return Array.isArray(content) ? content : [];
}

const isBlank = (text: string): boolean => text.trim() === "";

/** Text and images; providers refuse empty texts and empty messages, so that `empty` stands for nothing. */
function shownBlocks(
  content: unknown,
  empty: string,
  options: WireOptions,
): readonly (TextBlock | ImageBlock)[] {
  const shown: (TextBlock | ImageBlock)[] = [];
  for (const block of blocksOf(content)) {
    if (isText(block) && !isBlank(block.text)) shown.push(block);
    if (!isImage(block)) continue;
    shown.push(options.takesImages === false ? textBlock(NO_IMAGE) : block);
  }
  return shown.length === 0 ? [textBlock(empty)] : shown;
}

/** The text of instructions as it is sent: contents, then sections; what is no text in them is left out. */
export function systemText(message: Readonly<Record<string, unknown>>): string {
  const texts = blocksOf(message.content).filter(isText);
  const sections = isObject(message.sections) ? Object.values(message.sections) : [];
  const parts = [...texts.map(({ text }) => text), ...sections];
  return parts.filter((part) => typeof part === "string" && !isBlank(part)).join("\n\n");
}

function bashText(message: Members): string {
  const { command, output, exitCode, fullOutputPath } = message;
  const lines = [`The user ran this command in the shell: ${String(command)}`];
  const isSilent = typeof output !== "string" || isBlank(output);
  lines.push(isSilent ? "It printed nothing." : `Its output:\n~~~\n${output}\n~~~`);
  if (message.cancelled === true) lines.push("It was cancelled before its end.");
  else if (typeof exitCode === "number" && exitCode !== 0) lines.push(`Exit code: ${exitCode}`);
  if (message.truncated === true && typeof fullOutputPath === "string") {
    lines.push(`The output above is cut; all of it is in ${fullOutputPath}`);
  }
  return lines.join("\n");
}

const COMPACTION_NOTE =
  "The earlier part of this conversation was compacted. This summary stands for it:";
const BRANCH_NOTE =
  "The conversation went down another branch and came back from it. This is what happened there:";

const wrapped = (note: string, summary: unknown): string =>
  `${note}\n\n<summary>\n${typeof summary === "string" ? summary : ""}\n</summary>`;

function userMessage(message: Members, content: unknown, options: WireOptions): WireUserMessage {
  const blocks = shownBlocks(content, "(no text)", options);
  return { role: "user", content: blocks, timestamp: timeOf(message) };
}

/** The answer without blocks of unknown kinds and empty ones; null where nothing is left or where it failed. */
function assistantMessage(message: Members): WireAssistantMessage | null {
  if (FAILED.has(message.stopReason)) return null;
  const content = blocksOf(message.content).filter((block) => {
    if (isText(block)) return !isBlank(block.text);
    if (isThinking(block)) return !isBlank(block.thinking) || block.thinkingSignature !== undefined;
    return isToolCall(block);
  });
  if (content.length === 0) return null;
  return { ...message, content, timestamp: timeOf(message) } as unknown as WireAssistantMessage;
}

function wireMessage(message: Members, options: WireOptions): WireMessage | null {
  switch (message.role) {
    case "system": {
      const content = systemText(message);
      return content === "" ? null : { role: "system", content, timestamp: timeOf(message) };
    }
    case "user":
    case "custom":
      return userMessage(message, message.content, options);
    case "compactionSummary":
      return userMessage(message, wrapped(COMPACTION_NOTE, message.summary), options);
    case "branchSummary":
      return userMessage(message, wrapped(BRANCH_NOTE, message.summary), options);
    case "bashExecution":
      if (message.excludeFromContext === true) return null;
      return userMessage(message, bashText(message), options);
    case "assistant":
      return assistantMessage(message);
    case "toolResult": {
      const content = shownBlocks(message.content, "(no output)", options);
      return { ...message, content, timestamp: timeOf(message) } as unknown as WireToolResult;
    }
    default:
      return null;
  }
}

/** Puts results right behind their calls, and leaves out those whose call is not sent. */
class Pairing {
  readonly sent: WireMessage[] = [];
  /** The calls of the last answer that wait for a result, by id: under which ids they were sent, in order. */
  readonly #open = new Map<string, string[]>();
  /** What came between a call and its results: it is sent after them. */
  #held: WireMessage[] = [];

  add(message: WireMessage): void {
    if (message.role === "toolResult") {
      this.#answer(message);
    } else if (message.role === "assistant") {
      this.release();
      this.sent.push(this.#named(message));
    } else if (this.#open.size > 0) this.#held.push(message);
    else this.sent.push(message);
  }

  #answer(message: WireToolResult): void {
    const { toolCallId: id } = message;
    const ids = this.#open.get(id);
    const sent = ids?.shift();
    if (sent === undefined) return;
    if (ids?.length === 0) this.#open.delete(id);
    this.sent.push(sent === id ? message : { ...message, toolCallId: sent });
    if (this.#open.size === 0) this.release();
  }

  /**
   * Models use an id twice in one answer, which providers refuse ever after: the calls behind the first one
   * get ids of their own, here and not in the file (P33). Results come in the order of the calls.
   */
  #named(message: WireAssistantMessage): WireAssistantMessage {
    const ids = new Set(message.content.filter(isToolCall).map(({ id }) => id));
    let isRenamed = false;
    const content = message.content.map((block) => {
      if (!isToolCall(block)) return block;
      const sent = this.#open.get(block.id) ?? [];
      let id = block.id;
      for (let next = sent.length + 1; sent.length > 0 && ids.has(id); next++) {
        id = `${block.id}-${next}`;
      }
      ids.add(id);
      this.#open.set(block.id, [...sent, id]);
      isRenamed ||= id !== block.id;
      return id === block.id ? block : { ...block, id };
    });
    return isRenamed ? { ...message, content } : message;
  }

  release(): void {
    for (const message of this.#held) this.sent.push(message);
    this.#held = [];
    this.#open.clear();
  }
}

/**
 * The messages of a context as providers take them: system, user, assistant, toolResult. Summaries, custom
 * messages and shell commands become user messages that say what they are (F070); failed and aborted
 * answers are left out with their results, as Pi does, since half an answer is refused or misread; so are
 * unknown roles and unknown or empty blocks. What came between a call and its results is sent after them.
 * Pure: the same messages give the same request (P8). Linear.
 */
export function messagesForModel(
  messages: readonly Message[],
  options: WireOptions = {},
): readonly WireMessage[] {
  const pairing = new Pairing();
  for (const message of messages) {
    const wire = isObject(message) ? wireMessage(message, options) : null;
    if (wire !== null) pairing.add(wire);
  }
  pairing.release();
  return pairing.sent;
}
