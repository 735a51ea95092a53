import { isObject } from "../entry/entry-check.ts";
import type { Block, ToolCallBlock, ToolResultMessage } from "../entry/message.ts";
import { BranchlineError } from "../errors.ts";
import { jsonCopy } from "../store/json-copy.ts";
import type { ToolOutput } from "./tool.ts";

/** Text of the result of a call that an abort kept from running. */
export const NOT_RUN_TEXT = "The run was aborted before this call was made.";
/** Text of the result of a call that an abort ended. What it had done by then is not known. */
export const ABORTED_TEXT =
  "The run was aborted while this call was under way; it may have had effects.";

/** An output that tells of a failure. */
export function errorOutput(text: string, details?: unknown): ToolOutput {
  const content = [{ type: "text", text }];
  return Object.freeze({ content, isError: true, ...(details === undefined ? {} : { details }) });
}

/** What somebody threw, in a line for the model. */
export function errorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function isBlock(value: unknown): value is Block {
  return isObject(value) && typeof value.type === "string";
}

/**
 * What a tool gave back as it can be stored: a frozen copy. A tool that gives something else, or more
 * than an entry holds, fails itself and not the run.
 */
export function storableOutput(given: unknown): ToolOutput {
  let copy: unknown;
  try {
    copy = jsonCopy(given);
  } catch (error) {
    if (!BranchlineError.is(error)) throw error;
    return errorOutput(`The result of the tool cannot be stored: ${error.message}`);
  }
  if (!isObject(copy) || !Array.isArray(copy.content) || !copy.content.every(isBlock)) {
    return errorOutput(
      "The tool gave no result: it must be an object with a list `content` of blocks.",
    );
  }
  const content: readonly Block[] = copy.content;
  return Object.freeze({
    content,
    ...(copy.details === undefined ? {} : { details: copy.details }),
    ...(copy.isError === true ? { isError: true } : {}),
    ...(copy.terminate === true ? { terminate: true } : {}),
  });
}

/** The message that answers a call; `timestamp` in ms. */
export function resultMessage(
  call: Pick<ToolCallBlock, "id" | "name">,
  output: ToolOutput,
  timestamp: number,
): ToolResultMessage {
  return {
    role: "toolResult",
    toolCallId: call.id,
    toolName: call.name,
    content: output.content,
    ...(output.details === undefined ? {} : { details: output.details }),
    isError: output.isError === true,
    timestamp,
  };
}
