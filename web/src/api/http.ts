import { type Client, ClientError, createClient } from "branchline/client";
import { ApiFailure } from "./api-failure.ts";

/** Values of a query; undefined, null and empty ones are left out. */
export type Query = Readonly<Record<string, string | number | boolean | undefined | null>>;

/** What {@link call} sends. */
export interface CallOptions {
  readonly method?: "GET" | "POST" | "PATCH" | "DELETE";
  readonly query?: Query;
  readonly body?: unknown;
  readonly signal?: AbortSignal | undefined;
}

/** The client of this tab; its name says to the other tabs who moved. */
export const client: Client = createClient({ client: `web-${crypto.randomUUID().slice(0, 8)}` });

/** One JSON call to the own origin. Throws {@link ApiFailure}; an aborted call throws the signal's reason. */
export async function call<T>(path: string, options: CallOptions = {}): Promise<T> {
  const { method = "GET", query = {}, body, signal } = options;
  const filled = Object.entries(query).filter(([, value]) => value !== "");
  try {
    return await client.http.json<T>(method, path, {
      query: Object.fromEntries(filled),
      ...(body === undefined ? {} : { body }),
      ...(signal === undefined ? {} : { signal }),
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw failureOf(error);
  }
}

function failureOf(error: unknown): ApiFailure {
  if (error instanceof ClientError) {
    const { code, message, status, hint, fields } = error;
    return new ApiFailure({ code, message, status, hint, fields });
  }
  const message = "The server does not answer.";
  return new ApiFailure({ code: "NETWORK", status: 0, message });
}
