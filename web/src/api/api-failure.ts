/** An answer that was not 2xx, or no answer at all (`status` 0, code NETWORK). */
export class ApiFailure extends Error {
  readonly code: string;
  /** HTTP status; 0 = the server was not reached. */
  readonly status: number;
  readonly hint: string | null;
  readonly fields: unknown;

  constructor(parts: {
    readonly code: string;
    readonly message: string;
    readonly status: number;
    readonly hint?: string | null;
    readonly fields?: unknown;
  }) {
    super(parts.message);
    this.name = "ApiFailure";
    this.code = parts.code;
    this.status = parts.status;
    this.hint = parts.hint ?? null;
    this.fields = parts.fields;
  }
}

/** What to show of anything that was thrown. */
export function failureText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
