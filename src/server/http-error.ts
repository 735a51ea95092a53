import { BranchlineError, type ErrorCode } from "../errors.ts";
import type { ErrorBody } from "../protocol/operation.ts";

/** Codes of refusals that only HTTP knows. */
export type HttpCode =
  | "HTTP_BAD_REQUEST"
  | "HTTP_BUSY"
  | "HTTP_FORBIDDEN"
  | "HTTP_IDEMPOTENCY_REUSED"
  | "HTTP_INTERNAL"
  | "HTTP_METHOD_NOT_ALLOWED"
  | "HTTP_NOT_FOUND"
  | "HTTP_RUN_ACTIVE"
  | "HTTP_RUN_UNKNOWN"
  | "HTTP_TOO_LARGE"
  | "HTTP_TYPE_UNSUPPORTED"
  | "HTTP_UNAUTHORIZED";

/** Status of each of our own codes. */
const HTTP_STATUS: Readonly<Record<HttpCode, number>> = {
  HTTP_BAD_REQUEST: 400,
  HTTP_BUSY: 503,
  HTTP_FORBIDDEN: 403,
  HTTP_IDEMPOTENCY_REUSED: 422,
  HTTP_INTERNAL: 500,
  HTTP_METHOD_NOT_ALLOWED: 405,
  HTTP_NOT_FOUND: 404,
  HTTP_RUN_ACTIVE: 409,
  HTTP_RUN_UNKNOWN: 404,
  HTTP_TOO_LARGE: 413,
  HTTP_TYPE_UNSUPPORTED: 415,
  HTTP_UNAUTHORIZED: 401,
};

/** Status of the engine's codes; all of them, so that a new one is not forgotten. */
const ENGINE_STATUS: Readonly<Record<ErrorCode, number>> = {
  ABORTED: 499,
  APPEND_UNKNOWN: 500,
  BRANCH_EXISTS: 409,
  BRANCH_NAME_INVALID: 400,
  BRANCH_UNKNOWN: 404,
  COMPACTION_REFUSED: 409,
  ENTRY_AMBIGUOUS: 400,
  ENTRY_INVALID: 400,
  ENTRY_TOO_LARGE: 413,
  ENTRY_UNKNOWN: 404,
  FILE_MISSING: 410,
  FILE_REPLACED: 409,
  FILE_TRUNCATED: 409,
  FILE_UNSAFE: 403,
  HARNESS_BUSY: 409,
  HARNESS_IDLE: 409,
  IO_FAILED: 500,
  KEY_REUSED: 422,
  LOG_DAMAGED: 422,
  MODEL_UNKNOWN: 404,
  NOTHING_TO_REDO: 409,
  NOTHING_TO_UNDO: 409,
  NOT_SUPPORTED: 501,
  PLACE_REFUSED: 409,
  QUEUE_ITEM_UNKNOWN: 404,
  RUN_ACTIVE: 409,
  SESSION_AMBIGUOUS: 409,
  SESSION_EXISTS: 409,
  SESSION_ID_INVALID: 400,
  SESSION_INVALID: 422,
  SESSION_LINKED: 409,
  SESSION_READ_ONLY: 403,
  SESSION_UNKNOWN: 404,
  SESSION_UNVERIFIED: 503,
  STORE_BUSY: 503,
  STORE_CLOSED: 503,
  STORE_CONFLICT: 409,
  TARGET_INVALID: 409,
  USAGE: 400,
};

/** A request that is refused, for reasons of HTTP. The engine's refusals are `BranchlineError`s. */
export class HttpError extends Error {
  readonly code: HttpCode;
  readonly fields: unknown;
  readonly hint: string | null;

  constructor(
    code: HttpCode,
    message: string,
    more: { readonly fields?: unknown; readonly hint?: string } = {},
  ) {
    super(message);
    this.name = "HttpError";
    this.code = code;
    this.fields = more.fields ?? {};
    this.hint = more.hint ?? null;
  }
}

/** How a thrown value is answered. `isFault` = nobody expected it: it belongs into the log. */
export interface ErrorAnswer {
  readonly status: number;
  readonly body: ErrorBody;
  readonly isFault: boolean;
}

/** Any thrown value as an answer; what is no error of ours tells nothing about the inside. */
export function errorAnswer(error: unknown): ErrorAnswer {
  if (error instanceof HttpError) {
    const { code, message, hint, fields } = error;
    const status = HTTP_STATUS[code];
    return { status, body: { error: { code, message, hint, fields } }, isFault: status === 500 };
  }
  if (BranchlineError.is(error)) {
    const { code, message, hint, fields } = error;
    const status = statusOf(code);
    const body = { error: { code, message, hint: hint ?? null, fields: { ...fields } } };
    return { status, body, isFault: status === 500 };
  }
  const message = "The server met a fault of its own.";
  const hint = "The log of the server tells more.";
  const body = { error: { code: "HTTP_INTERNAL", message, hint, fields: {} } };
  return { status: 500, body, isFault: true };
}

/** HTTP status of an engine code. */
export function statusOf(code: ErrorCode): number {
  return ENGINE_STATUS[code];
}
