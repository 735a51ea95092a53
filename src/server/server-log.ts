/** Where a server writes what it did; pino's loggers fit. Never a token, never a text of a session. */
export interface ServerLog {
  info(fields: Readonly<Record<string, unknown>>, message: string): void;
  warn(fields: Readonly<Record<string, unknown>>, message: string): void;
  error(fields: Readonly<Record<string, unknown>>, message: string): void;
}

/** Says nothing. */
export const SILENT_LOG: ServerLog = {
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};
