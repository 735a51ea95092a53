import type { ErrorBody } from "../protocol/operation.ts";

/** A refusal of the server: `code` is one of docs/errors.md or HTTP_…; `status` the HTTP status. */
export class ClientError extends Error {
  readonly code: string;
  readonly status: number;
  readonly hint: string | null;
  /** What the code carries, for example the present leaf as `head` of STORE_CONFLICT. */
  readonly fields: unknown;

  constructor(status: number, { error }: ErrorBody) {
    super(error.message);
    this.name = "ClientError";
    this.status = status;
    this.code = error.code;
    this.hint = error.hint;
    this.fields = error.fields;
  }
}

/** The refusal in an answer; what is no JSON of ours has the code HTTP_UNREADABLE. */
export async function refusalOf(response: Response): Promise<ClientError> {
  const body: unknown = await response.json().catch(() => null);
  if (isErrorBody(body)) return new ClientError(response.status, body);
  const message = `The server answered ${response.status}.`;
  const error = { code: "HTTP_UNREADABLE", message, hint: null, fields: {} };
  return new ClientError(response.status, { error });
}

function isErrorBody(body: unknown): body is ErrorBody {
  const error: unknown = Object(body).error;
  const { code, message } = Object(error) as {
    readonly code?: unknown;
    readonly message?: unknown;
  };
  return typeof code === "string" && typeof message === "string";
}
