import type { Message, Usage } from "../entry/message.ts";
import type { FileLists } from "./file-lists.ts";

/** A message and the entry that it comes from. */
export interface SourcedMessage {
  /** Id of the entry. */
  readonly entry: string;
  readonly message: Message;
}

/** What a summary is made of. */
export interface SummaryInput {
  /** "branch" = of a branch that is left, without the part on critical context. */
  readonly kind: "compaction" | "branch";
  /** The summary that stands for what was before; null = none. */
  readonly previousSummary: string | null;
  /** What is summarised, in the order of the context. */
  readonly messages: readonly SourcedMessage[];
  /** The first part of a turn whose rest is kept: summarised apart, as the beginning of what follows. */
  readonly turnPrefix: readonly SourcedMessage[];
  /** What stays as it is behind the summary; for orientation, not to be summarised. */
  readonly kept: readonly SourcedMessage[];
  readonly files: FileLists;
  /** What a person asked the summary to look at; null = nothing. */
  readonly instructions: string | null;
  /** Most tokens of the summary. */
  readonly maxTokens: number;
  /** Most tokens of one request to a model; longer input is summarised in steps. null = not known. */
  readonly inputTokens: number | null;
}

/** How a summary is made. */
export interface SummariseOptions {
  readonly signal?: AbortSignal | undefined;
  /** Hears the text as it comes. Nothing of it is stored before it is whole (F082). */
  readonly onText?: ((delta: string) => void) | undefined;
}

/** A summary as it came; whether it may be used is decided by who asked for it. */
export interface Summary {
  readonly text: string;
  readonly usage?: Usage | undefined;
  /** As in an assistant message: only "stop" is a whole summary. */
  readonly stopReason: string;
  /** What went wrong, where something did. */
  readonly errorMessage?: string | undefined;
}

/**
 * Makes summaries. It is handed text only and offers no tools. It rejects with ABORTED when the signal is
 * aborted; what a provider does is told by `stopReason`.
 */
export interface Summariser {
  /** For people and for the details of the entry, such as "extractive" or "provider/model". */
  readonly name: string;
  /** True where no model stands behind it: surfaces and the text itself say so. */
  readonly isExtractive: boolean;
  summarise(input: SummaryInput, options?: SummariseOptions): Promise<Summary>;
}
