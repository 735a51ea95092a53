import { refusalOf } from "./client-error.ts";

/** How a client reaches its server. */
export interface ClientOptions {
  /** For example `http://127.0.0.1:4317`; default "": the page's own server. */
  readonly baseUrl?: string;
  /** Sent with every request; a page that has logged in needs none. */
  readonly token?: string;
  /** Names this client to others (`by` of events) and for the limit of streams; letters, digits, `._-`. */
  readonly client?: string;
  /** Default: the platform's. */
  readonly fetch?: typeof fetch;
}

/** Values of a query; what is undefined is left out. */
export type QueryValues = Readonly<Record<string, string | number | boolean | null | undefined>>;

/** What a request has besides its path. */
export interface CallOptions {
  readonly query?: QueryValues;
  readonly body?: unknown;
  /** The same key and body give the same answer, done once. */
  readonly key?: string;
  readonly signal?: AbortSignal;
}

/** Makes requests: JSON out, JSON in. Refusals are thrown as `ClientError`. */
export class HttpCaller {
  readonly #base: string;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #fetch: typeof fetch;

  constructor({ baseUrl = "", token, client, fetch: own }: ClientOptions) {
    this.#base = baseUrl.replace(/\/+$/, "");
    this.#headers = {
      ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
      ...(client === undefined ? {} : { "X-Branchline-Client": client }),
    };
    this.#fetch = own ?? ((input, init) => fetch(input, init));
  }

  /** A question or change; `T` is what docs/http-api.md says of the route. */
  async json<T>(method: string, path: string, options: CallOptions = {}): Promise<T> {
    const response = await this.request(method, path, options);
    if (!response.ok) throw await refusalOf(response);
    return (await response.json()) as T;
  }

  /** The answer as it came, refusals too. */
  async request(method: string, path: string, options: CallOptions = {}): Promise<Response> {
    const { query = {}, body, key, signal } = options;
    const sends = method === "POST" || method === "PATCH";
    return await this.#fetch(`${this.#base}${path}${queryText(query)}`, {
      method,
      credentials: "same-origin",
      // The server never sends elsewhere; whoever does must not get the token or the body.
      redirect: "error",
      headers: {
        ...this.#headers,
        ...(sends ? { "Content-Type": "application/json" } : {}),
        ...(key === undefined ? {} : { "Idempotency-Key": key }),
      },
      ...(sends ? { body: JSON.stringify(body ?? {}) } : {}),
      ...(signal === undefined ? {} : { signal }),
    });
  }
}

function queryText(query: QueryValues): string {
  const values = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== null) values.set(name, String(value));
  }
  const text = values.toString();
  return text === "" ? "" : `?${text}`;
}
