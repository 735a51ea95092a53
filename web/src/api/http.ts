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
  /** A change that must happen once: it is sent again under the same key when the line broke. */
  readonly once?: boolean;
}

/** Name of this tab: says to the others who moved. */
export const tabName: string = `web-${crypto.randomUUID().slice(0, 8)}`;

/** The client of this tab. */
export const client: Client = createClient({ client: tabName });

/** One JSON call to the own origin. Throws {@link ApiFailure}; an aborted call throws the signal's reason. */
export async function call<T>(path: string, options: CallOptions = {}): Promise<T> {
  const { method = "GET", query = {}, body, signal, once = false } = options;
  const filled = Object.entries(query).filter(([, value]) => value !== "");
  const send = (): Promise<T> => client.http.json<T>(method, path, sent);
  const sent = {
    query: Object.fromEntries(filled),
    ...(body === undefined ? {} : { body }),
    ...(signal === undefined ? {} : { signal }),
    ...(once ? { key: crypto.randomUUID() } : {}),
  };
  try {
    return once ? await sendTwice(send) : await send();
  } catch (error) {
    if (signal?.aborted) throw error;
    throw failureOf(error);
  }
}

/** Wait before a change is sent the second time, in ms. */
const WAIT = 700;

/** Sends again when no answer came; what the server refused stays refused. */
async function sendTwice<T>(send: () => Promise<T>): Promise<T> {
  try {
    return await send();
  } catch (error) {
    if (error instanceof ClientError) throw error;
    await new Promise((resolve) => setTimeout(resolve, WAIT));
    return await send();
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
