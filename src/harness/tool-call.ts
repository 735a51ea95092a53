import type { ToolCallBlock } from "../entry/message.ts";
import { orAborted, ABORTED as SIGNALLED } from "../model/abort-wait.ts";
import { argumentsFault } from "./argument-check.ts";
import { type Grace, withGrace } from "./grace.ts";
import { decide, type PermissionHooks } from "./permission.ts";
import type { PendingCall, Permission, Tool, ToolOutput } from "./tool.ts";
import {
  ABORTED_TEXT,
  errorOutput,
  errorText,
  NOT_RUN_TEXT,
  storableOutput,
} from "./tool-output.ts";

/** Changes what a tool gave before it is stored: content, details, isError. A throw becomes an error result. */
export type AfterToolHook = (
  call: PendingCall,
  output: ToolOutput,
) => ToolOutput | Promise<ToolOutput>;

/** What calls run with. */
export interface ToolSetup extends Grace {
  /** The tools in force, by name. */
  readonly tools: ReadonlyMap<string, Tool>;
  readonly hooks: PermissionHooks;
  readonly after?: AfterToolHook | undefined;
}

/** A call that is ready: to be run, to be answered with an error, or never made because of an abort. */
export type PreparedCall =
  | { readonly kind: "run"; readonly call: PendingCall; readonly tool: Tool }
  | { readonly kind: "refused"; readonly call: PendingCall; readonly output: ToolOutput }
  | { readonly kind: "not-run"; readonly call: PendingCall; readonly output: ToolOutput };

/** A call that an abort kept from being made. */
export const notRun = (call: PendingCall): PreparedCall => ({
  kind: "not-run",
  call,
  output: errorOutput(NOT_RUN_TEXT),
});

const refused = (call: PendingCall, text: string): PreparedCall => ({
  kind: "refused",
  call,
  output: errorOutput(text),
});

/**
 * Checks a call before it runs: the tool is there, the arguments fit its schema, the hooks allow it. What
 * a hook puts in the place of the arguments is checked as well.
 */
export async function prepareCall(
  block: ToolCallBlock,
  setup: ToolSetup,
  told: (permission: Permission) => Promise<void>,
): Promise<PreparedCall> {
  const { id: callId, name, arguments: args, argumentsError } = block;
  const call: PendingCall = { callId, name, arguments: args };
  if (setup.signal.aborted) return notRun(call);
  const tool = setup.tools.get(name);
  if (tool === undefined) return refused(call, unknownToolText(name, setup.tools));
  if (argumentsError !== undefined) return refused(call, argumentsText(name, argumentsError));
  const fault = argumentsFault(tool.parameters, args);
  if (fault !== null) return refused(call, argumentsText(name, fault));
  const verdict = await orAborted(decide(call, setup.hooks, told), setup.signal);
  if (verdict === SIGNALLED || setup.signal.aborted) return notRun(call);
  if (verdict.decision === "block") return refused(call, `The call was blocked: ${verdict.reason}`);
  if (verdict.decision === "allow") return { kind: "run", call, tool };
  const changed: PendingCall = { callId, name, arguments: verdict.arguments };
  const still = argumentsFault(tool.parameters, verdict.arguments);
  return still === null
    ? { kind: "run", call: changed, tool }
    : refused(changed, argumentsText(name, still));
}

function unknownToolText(name: string, tools: ReadonlyMap<string, Tool>): string {
  const names = [...tools.keys()].join(", ");
  return `There is no tool ${name}. ${names === "" ? "No tool is offered." : `Tools: ${names}.`}`;
}

function argumentsText(name: string, fault: string): string {
  return `The arguments of ${name} are wrong:\n${fault}`;
}

/**
 * Runs a call. A throw becomes an error result. After an abort the tool has the grace time to end by
 * itself; what it gives by then counts, later it is left behind and its result is that of an abort.
 */
export async function executeCall(
  { call, tool }: Extract<PreparedCall, { readonly kind: "run" }>,
  setup: ToolSetup,
  onUpdate: (output: ToolOutput) => void,
): Promise<ToolOutput> {
  const { signal } = setup;
  // The listeners took their time to hear that it begins.
  if (signal.aborted) return errorOutput(NOT_RUN_TEXT);
  let isOver = false;
  const context = {
    callId: call.callId,
    signal,
    onUpdate: (output: ToolOutput): void => {
      if (!isOver) onUpdate(storableOutput(output));
    },
  };
  // Inside a promise, so that a tool that throws at once is no different.
  const work = (async () => storableOutput(await tool.execute(call.arguments, context)))().catch(
    (error: unknown) => errorOutput(signal.aborted ? ABORTED_TEXT : errorText(error)),
  );
  const output = await orAbortedOutput(work, setup);
  isOver = true;
  return patched(call, output, setup);
}

/** Also a hook is left behind when it does not end: what it would have taken out is not shown then. */
function patched(call: PendingCall, output: ToolOutput, setup: ToolSetup): Promise<ToolOutput> {
  const { after } = setup;
  if (after === undefined) return Promise.resolve(output);
  const work = (async () => storableOutput(await after(call, output)))().catch((error: unknown) =>
    errorOutput(`The hook after the tool failed: ${errorText(error)}`),
  );
  return orAbortedOutput(work, setup);
}

/** What the work gives; where it is left behind, the result of an abort. */
async function orAbortedOutput(work: Promise<ToolOutput>, setup: ToolSetup): Promise<ToolOutput> {
  const output = await withGrace(work, setup);
  return output === SIGNALLED ? errorOutput(ABORTED_TEXT) : output;
}
