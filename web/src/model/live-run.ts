import type { EventData, WireEvent } from "branchline/protocol/event.ts";

/** A tool that runs now. */
export interface LiveTool {
  readonly callId: string;
  readonly name: string;
  readonly arguments: unknown;
  readonly output: unknown;
  readonly state: "waiting" | "running" | "done" | "failed";
}

/** What streams in before it is an entry. */
export interface LiveRun {
  readonly runId: string | null;
  readonly state: "idle" | "running" | "compacting";
  /** The answer so far. */
  readonly message: unknown;
  readonly tools: readonly LiveTool[];
  readonly error: string | null;
  readonly retry: { readonly attempt: number; readonly delayMs: number } | null;
}

/** Nothing runs. */
export const IDLE: LiveRun = {
  runId: null,
  state: "idle",
  message: null,
  tools: [],
  error: null,
  retry: null,
};

/** The run after an event. Pure; events that say nothing about it give the same object. */
export function nextLive(live: LiveRun, event: WireEvent): LiveRun {
  switch (event.type) {
    case "agent_start":
      return { ...IDLE, runId: event.runId, state: "running" };
    case "message_start":
    case "message_update":
      return { ...live, retry: null, message: data(event, "message_update").message };
    case "message_end":
      return { ...live, message: null, tools: live.tools.filter(isOpen) };
    case "tool_execution_start":
    case "tool_execution_update":
    case "tool_execution_end":
      return { ...live, tools: nextTools(live.tools, event) };
    case "compaction_start":
      return { ...live, state: "compacting" };
    case "compaction":
      return { ...live, state: live.runId === null ? "idle" : "running" };
    case "retry_scheduled":
      return { ...live, retry: data(event, "retry_scheduled") };
    case "run_error":
      return { ...IDLE, error: data(event, "run_error").message };
    case "agent_end":
    case "settled":
    case "run_done":
      return { ...IDLE, error: live.error };
    default:
      return live;
  }
}

const isOpen = (tool: LiveTool): boolean => tool.state === "waiting" || tool.state === "running";

function nextTools(tools: readonly LiveTool[], event: WireEvent): readonly LiveTool[] {
  const { callId } = data(event, "tool_execution_start");
  const old = tools.find((tool) => tool.callId === callId);
  const rest = tools.filter((tool) => tool.callId !== callId);
  if (event.type === "tool_execution_end") {
    const { output, isError, name } = data(event, "tool_execution_end");
    const state = isError ? "failed" : "done";
    return [...rest, { callId, name, arguments: old?.arguments, output, state }];
  }
  const { name } = data(event, "tool_execution_start");
  const given =
    event.type === "tool_execution_start"
      ? data(event, "tool_execution_start").arguments
      : old?.arguments;
  const output =
    event.type === "tool_execution_update"
      ? data(event, "tool_execution_update").output
      : old?.output;
  return [...rest, { callId, name, arguments: given, output, state: "running" }];
}

/** The data of an event whose type is known. */
export function data<T extends keyof EventData>(event: WireEvent, _type: T): EventData[T] {
  return event.data as EventData[T];
}
