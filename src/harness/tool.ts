import type { Block } from "../entry/message.ts";
import type { ToolSpec } from "../model/model.ts";

/** What a tool gives back. */
export interface ToolOutput {
  readonly content: readonly Block[];
  /** For surfaces; never sent to the model. JSON. */
  readonly details?: unknown;
  /** True = the content tells of a failure. Default false. */
  readonly isError?: boolean;
  /** True from every result of a batch ends the run after it. */
  readonly terminate?: boolean;
}

/** What a call works with. */
export interface ToolCallContext {
  readonly callId: string;
  /** Aborts when the run is aborted. A tool that goes on regardless is left behind after a grace time. */
  readonly signal: AbortSignal;
  /** Shows a partial output to listeners; never stored. */
  onUpdate(output: ToolOutput): void;
}

/** A tool that a run may use (harness.md §4). */
export interface Tool extends ToolSpec {
  /** What people read; default: the name. */
  readonly label?: string;
  /** "sequential" keeps the whole batch one after another. Default "parallel". */
  readonly executionMode?: "parallel" | "sequential";
  /**
   * Whether a call that was cut off by a crash may be made again. "never" (default) = it is answered with an
   * interrupted result instead.
   */
  readonly replay?: "safe" | "never";
  /** Does the work. A throw becomes an error result. */
  execute(args: Readonly<Record<string, unknown>>, context: ToolCallContext): Promise<ToolOutput>;
}

/** A call before its execution. */
export interface PendingCall {
  readonly callId: string;
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

/** What the permission hook decides about a call. "confirm" waits for a person's answer. */
export type Permission =
  | { readonly decision: "allow" }
  | { readonly decision: "block"; readonly reason: string }
  | { readonly decision: "rewrite"; readonly arguments: Readonly<Record<string, unknown>> }
  | { readonly decision: "confirm"; readonly question: string };
