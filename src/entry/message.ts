/**
 * Messages in Pi's wire shape (formats.md §2). Files are hostile input: a message from disk is only
 * known to have a string `role`; readers check the rest where they use it.
 */

/** A piece of text. */
export interface TextBlock {
  readonly type: "text";
  readonly text: string;
  readonly textSignature?: string;
}

/** What the model thought; the signature belongs to the provider. */
export interface ThinkingBlock {
  readonly type: "thinking";
  readonly thinking: string;
  readonly thinkingSignature?: string;
  readonly redacted?: boolean;
}

/** The model asks for a tool. Its `id` is the `toolCallId` of the result. */
export interface ToolCallBlock {
  readonly type: "toolCall";
  readonly id: string;
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  /**
   * The text that the model sent was no JSON object (Pi's member): `arguments` is then `{}`, this says
   * what was wrong and what was sent. Such a call is never run; it is answered with an error result.
   */
  readonly argumentsError?: string;
  readonly thoughtSignature?: string;
  readonly namespace?: string;
}

/** An inline image; `data` is base64. */
export interface ImageBlock {
  readonly type: "image";
  readonly data: string;
  readonly mimeType: string;
}

/** A block of a kind we do not know: kept exactly. */
export interface UnknownBlock {
  readonly type: string;
  readonly [member: string]: unknown;
}

/** One part of a message. */
export type Block = TextBlock | ThinkingBlock | ToolCallBlock | ImageBlock | UnknownBlock;

/** Plain text or blocks. */
export type Content = string | readonly Block[];

/** Money in US dollars. */
export interface Cost {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly total: number;
}

/** Tokens of one request. `input` excludes the cache, `reasoning` lies inside `output`. */
export interface Usage {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly reasoning?: number;
  readonly totalTokens?: number;
  readonly cost?: Cost;
}

/** The system prompt and the tools it adds. `timestamp` in ms. */
export interface SystemMessage {
  readonly role: "system";
  readonly content: Content;
  readonly sections?: unknown;
  readonly toolsAdded?: unknown;
  readonly toolsRemoved?: unknown;
  readonly timestamp?: number;
}

/** What a person said. */
export interface UserMessage {
  readonly role: "user";
  readonly content: Content;
  readonly timestamp?: number;
}

/** What the model answered. */
export interface AssistantMessage {
  readonly role: "assistant";
  readonly content: readonly Block[];
  readonly api?: string;
  readonly provider: string;
  readonly model: string;
  readonly usage?: Usage;
  readonly stopReason?: string;
  readonly errorMessage?: string;
  readonly timestamp?: number;
}

/** What a tool answered to the call `toolCallId`. */
export interface ToolResultMessage {
  readonly role: "toolResult";
  readonly toolCallId: string;
  readonly toolName: string;
  readonly content: Content;
  readonly details?: unknown;
  readonly usage?: Usage;
  readonly isError: boolean;
  readonly timestamp?: number;
}

/** A command that a person ran in the shell of the agent. */
export interface BashExecutionMessage {
  readonly role: "bashExecution";
  readonly command: string;
  readonly output: string;
  readonly exitCode?: number | null;
  readonly cancelled?: boolean;
  readonly truncated?: boolean;
  readonly fullOutputPath?: string;
  readonly excludeFromContext?: boolean;
  readonly timestamp?: number;
}

/** A message of an extension, made from a `custom_message` entry. */
export interface CustomMessage {
  readonly role: "custom";
  readonly customType: string;
  readonly content: Content;
  readonly display?: boolean;
  readonly details?: unknown;
  readonly timestamp?: number;
}

/** Projected from a `branch_summary` entry; never stored as a message. */
export interface BranchSummaryMessage {
  readonly role: "branchSummary";
  readonly summary: string;
  readonly fromId: string;
  readonly timestamp: number;
}

/** Projected from a `compaction` entry; never stored as a message. */
export interface CompactionSummaryMessage {
  readonly role: "compactionSummary";
  readonly summary: string;
  readonly tokensBefore: number;
  readonly timestamp: number;
}

/** A message of a role we do not know: kept exactly, passed on as it is. */
export interface UnknownMessage {
  readonly role: string;
  readonly [member: string]: unknown;
}

/** Any message. */
export type Message =
  | SystemMessage
  | UserMessage
  | AssistantMessage
  | ToolResultMessage
  | BashExecutionMessage
  | CustomMessage
  | BranchSummaryMessage
  | CompactionSummaryMessage
  | UnknownMessage;
