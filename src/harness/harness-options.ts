import type { CompactionSettings } from "../compaction/settings.ts";
import type { Summariser } from "../compaction/summariser.ts";
import type { RandomBytes } from "../entry/ids.ts";
import type { Message } from "../entry/message.ts";
import type { ModelProvider } from "../model/model.ts";
import { platformRandom } from "../session/platform.ts";
import type { Session } from "../session/session.ts";
import type { ModelRef } from "../tree/fold.ts";
import { type HarnessClock, platformHarnessClock } from "./harness-clock.ts";
import type { InstructionsCheck } from "./instructions.ts";
import type { ConfirmHook, PermissionHook } from "./permission.ts";
import { DEFAULT_RETRY, type RetryPolicy } from "./retry.ts";
import type { Tool } from "./tool.ts";
import type { AfterToolHook } from "./tool-call.ts";
import type { WorkingFiles } from "./working-files.ts";

/** Changes what one request sends, never what is stored. It is given the messages of the context. */
export type ContextHook = (
  messages: readonly Message[],
) => readonly Message[] | Promise<readonly Message[]>;

/** How many waiting messages are delivered at a time. */
export type QueueMode = "one-at-a-time" | "all";

/** How a harness is made. */
export interface HarnessOptions {
  /** Where the conversation is. It stays the caller's, who closes it after the harness. */
  readonly session: Session;
  readonly models: ModelProvider;
  /** The model where the path names none. */
  readonly model: ModelRef;
  /** Default: none. Their names are unique. */
  readonly tools?: readonly Tool[];
  /**
   * Instructions at the beginning. On an empty path they become its first message, so that a path gives
   * the same request for ever (P8, F069); a path that has instructions keeps its own.
   */
  readonly systemPrompt?: string;
  /**
   * Says of each system message of the path that is not `systemPrompt` whether it is sent; what is not is
   * left out of requests only, and `systemPrompt` stands in. Default: all are sent, as in Pi. A program that
   * opens sessions of unknown origin asks a person first (reliability.md S13).
   */
  readonly instructions?: InstructionsCheck;
  /** Default: the defaults of compaction. */
  readonly compaction?: Partial<CompactionSettings>;
  /** Default: the model in force, or the extractive one where no model stands behind it. */
  readonly summariser?: Summariser;
  /** Decides about each call; default: every call is allowed. */
  readonly permission?: PermissionHook;
  /** Asks a person, where `permission` says "confirm". */
  readonly confirm?: ConfirmHook;
  readonly afterTool?: AfterToolHook;
  readonly context?: ContextHook;
  readonly retry?: Partial<RetryPolicy>;
  /**
   * Most turns in a row without a word of a person; then a message says so and the run ends. Default
   * null = no limit.
   */
  readonly maxTurns?: number | null;
  /** "sequential": one call after the other, whatever the tools say. Default "parallel". */
  readonly toolExecution?: "parallel" | "sequential";
  /** "start" (default): a run of its own as soon as nothing runs; "wait": with the next prompt. */
  readonly nextTurnMode?: "start" | "wait";
  /** Default "one-at-a-time" for both. */
  readonly queueModes?: { readonly steer?: QueueMode; readonly followUp?: QueueMode };
  /** How long aborted tools, hooks and providers may take to end, in ms; default 2,000. */
  readonly abortGraceMs?: number;
  /** Default: the clock of this machine. */
  readonly clock?: HarnessClock;
  /** Source of ids; default: the random source of the platform. */
  readonly random?: RandomBytes;
  /** Looks at the folder before the first and after the last tool of a run. Default: nobody looks. */
  readonly workingFiles?: WorkingFiles;
  /**
   * Hears what a listener threw while no run was there to end with it. Default: it becomes an unhandled
   * rejection, as for any event handler.
   */
  readonly onListenerFailure?: (cause: unknown) => void;
}

/** Options that have a default. */
type Defaulted =
  | "tools"
  | "retry"
  | "maxTurns"
  | "toolExecution"
  | "nextTurnMode"
  | "queueModes"
  | "abortGraceMs"
  | "clock"
  | "random"
  | "onListenerFailure";

/** Options with their defaults. */
export interface ResolvedOptions
  extends Omit<HarnessOptions, "session" | Defaulted>,
    Required<Pick<HarnessOptions, Exclude<Defaulted, "retry" | "queueModes">>> {
  readonly retry: RetryPolicy;
  readonly queueModes: { readonly steer: QueueMode; readonly followUp: QueueMode };
}

/** Puts the defaults in. */
export function resolveOptions(options: HarnessOptions): ResolvedOptions {
  const { session: _, ...given } = options;
  return {
    maxTurns: null,
    toolExecution: "parallel",
    nextTurnMode: "start",
    abortGraceMs: 2000,
    tools: [],
    clock: platformHarnessClock,
    random: platformRandom,
    onListenerFailure: leaveUnhandled,
    ...given,
    retry: { ...DEFAULT_RETRY, ...given.retry },
    queueModes: { steer: "one-at-a-time", followUp: "one-at-a-time", ...given.queueModes },
  };
}

function leaveUnhandled(cause: unknown): void {
  void Promise.reject(cause);
}
