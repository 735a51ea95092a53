import type { Entry, EntryDraft } from "../entry/entry.ts";
import { isObject } from "../entry/entry-check.ts";
import { ownData, RUN_TYPE } from "../entry/own-state.ts";
import type { RunOutcome } from "./events.ts";
import { isBlockList } from "./queue-rows.ts";
import type { ToolOutput } from "./tool.ts";
import { type WorkingFilesState, workingFilesState } from "./working-files.ts";

/**
 * Which call it is: ids of calls may be used again, so it is the place in its message that counts.
 * `index` is the call's place among the calls of the assistant message, from 0.
 */
export interface CallPlace {
  /** Id of the entry of the assistant message. */
  readonly message: string;
  readonly index: number;
}

/** A call as it is about to be executed. */
export interface JournaledCall {
  readonly index: number;
  readonly callId: string;
  readonly name: string;
  /** As they are executed: a permission hook may have rewritten them. */
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly replay: "safe" | "never";
}

/** Data of a `branchline.run` entry, besides its session. */
export type RunRow =
  | { readonly event: "start"; readonly run: string; readonly branch: string }
  | { readonly event: "moved"; readonly run: string; readonly branch: string }
  | {
      readonly event: "calls";
      readonly run: string;
      readonly message: string;
      readonly calls: readonly JournaledCall[];
    }
  | {
      readonly event: "result";
      readonly run: string;
      readonly message: string;
      readonly index: number;
      /** null = the tool result message holds it, in the same commit. */
      readonly output: ToolOutput | null;
      /** What the output says of it, kept apart from it: the message has no place for it. */
      readonly terminate: boolean;
    }
  | {
      readonly event: "files";
      readonly run: string;
      readonly when: "before" | "after";
      readonly files: WorkingFilesState | null;
    }
  | {
      readonly event: "end";
      readonly run: string;
      readonly outcome: RunOutcome;
      /** Where a budget is in force: how much of it was used up to here, so that a reader may start here. */
      readonly spent?: SpentCycles;
    };

/** A count that the path itself tells as well. */
export interface SpentCycles {
  /** Id of the entry that set the budget. */
  readonly since: string;
  readonly cycles: number;
}

type Members = Readonly<Record<string, unknown>>;

const OUTCOMES: ReadonlySet<unknown> = new Set<RunOutcome>([
  "done",
  "aborted",
  "error",
  "stopped",
  "turn-limit",
  "approval",
]);

/** The entry of a row. */
export function runDraft(session: string, row: RunRow): EntryDraft {
  return { type: "custom", customType: RUN_TYPE, data: { session, ...row } };
}

/** The row, or null where the entry is none of this session or not whole. */
export function runRow(entry: Entry, session: string): RunRow | null {
  const data = ownData(entry, RUN_TYPE, session);
  if (data === null || typeof data.run !== "string") return null;
  const { event, run } = data;
  switch (event) {
    case "start":
    case "moved":
      return typeof data.branch === "string" ? { event, run, branch: data.branch } : null;
    case "calls":
      return callsRow(data, run);
    case "result":
      return resultRow(data, run);
    case "files": {
      const { when } = data;
      const known = when === "before" || when === "after";
      return known ? { event, run, when, files: workingFilesState(data.files) } : null;
    }
    case "end":
      return isOutcome(data.outcome)
        ? { event, run, outcome: data.outcome, ...spentIn(data.spent) }
        : null;
    default:
      return null;
  }
}

function callsRow(data: Members, run: string): RunRow | null {
  const { message, calls } = data;
  if (typeof message !== "string" || !Array.isArray(calls)) return null;
  const read = calls.map(journaledCall).filter((call) => call !== null);
  return { event: "calls", run, message, calls: read };
}

function journaledCall(value: unknown): JournaledCall | null {
  if (!isObject(value)) return null;
  const { index, callId, name, arguments: args, replay } = value;
  if (typeof index !== "number" || typeof callId !== "string" || typeof name !== "string")
    return null;
  // What is not surely safe is never made again.
  const safe = replay === "safe" && isObject(args);
  return {
    index,
    callId,
    name,
    arguments: isObject(args) ? args : {},
    replay: safe ? "safe" : "never",
  };
}

function resultRow(data: Members, run: string): RunRow | null {
  const { message, index, output, terminate } = data;
  if (typeof message !== "string" || typeof index !== "number") return null;
  return {
    event: "result",
    run,
    message,
    index,
    output: toolOutput(output),
    terminate: terminate === true,
  };
}

function toolOutput(value: unknown): ToolOutput | null {
  if (!isObject(value)) return null;
  const { content, details, isError } = value;
  if (!isBlockList(content)) return null;
  return {
    content,
    ...(details === undefined ? {} : { details }),
    ...(isError === true ? { isError: true } : {}),
  };
}

function spentIn(value: unknown): { readonly spent?: SpentCycles } {
  if (!isObject(value)) return {};
  const { since, cycles } = value;
  if (typeof since !== "string" || typeof cycles !== "number") return {};
  return Number.isSafeInteger(cycles) && cycles >= 0 ? { spent: { since, cycles } } : {};
}

function isOutcome(value: unknown): value is RunOutcome {
  return OUTCOMES.has(value);
}
