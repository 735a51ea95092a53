/** What one answer of the stub holds, whatever the wire format. */

/** A call that the stub makes. */
export interface StubCall {
  readonly id: string;
  readonly name: string;
  /** JSON text, or an object. */
  readonly arguments: string | Readonly<Record<string, unknown>>;
}

/** Tokens. `input` excludes the cache, `reasoning` lies inside `output`. */
export interface StubUsage {
  readonly input: number;
  readonly output: number;
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
  readonly reasoning?: number;
}

/** An answer that streams. */
export interface StubAnswer {
  readonly thinking?: string;
  readonly text?: string;
  readonly calls?: readonly StubCall[];
  /** Default "stop", with calls "toolUse". */
  readonly stop?: "stop" | "length" | "toolUse";
  readonly usage?: StubUsage;
  /** Characters of a piece. Default 4. */
  readonly chunk?: number;
  /** The connection is cut after this many events. */
  readonly cutAfter?: number;
  /** An error comes inside the stream, after the pieces and in the place of the end. */
  readonly error?: { readonly type: string; readonly message: string };
  /** Waited for before each event; `event` counts from 0. */
  readonly gate?: (event: number) => Promise<void> | undefined;
}

/** An answer that refuses. */
export interface StubRefusal {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** JSON, or a text as it is. */
  readonly body: unknown;
}

/** One reply of the script. */
export type StubReply = StubAnswer | StubRefusal;

/** One event of a stream. */
export interface StubEvent {
  /** The `event:` line; none where absent. */
  readonly event?: string;
  /** JSON, or a text as it is. */
  readonly data: unknown;
}

/** The model that every answer names. */
export const STUB_MODEL = "stub-1";

const USAGE: StubUsage = { input: 10, output: 5 };

/** A reply with its defaults, cut into pieces. */
export interface StubParts {
  readonly thinking: readonly string[];
  readonly text: readonly string[];
  readonly calls: readonly {
    readonly id: string;
    readonly name: string;
    readonly pieces: readonly string[];
    readonly json: string;
  }[];
  readonly stop: "stop" | "length" | "toolUse";
  readonly usage: Required<StubUsage>;
  readonly error: StubAnswer["error"] | undefined;
}

function pieces(text: string, size: number): readonly string[] {
  const chars = [...text];
  const cut: string[] = [];
  for (let at = 0; at < chars.length; at += size) cut.push(chars.slice(at, at + size).join(""));
  return cut;
}

export function partsOf(answer: StubAnswer): StubParts {
  const { chunk = 4, calls = [], usage = USAGE } = answer;
  return {
    thinking: pieces(answer.thinking ?? "", chunk),
    text: pieces(answer.text ?? "", chunk),
    calls: calls.map(({ id, name, arguments: args }) => {
      const json = typeof args === "string" ? args : JSON.stringify(args);
      return { id, name, json, pieces: pieces(json, chunk) };
    }),
    stop: answer.stop ?? (calls.length > 0 ? "toolUse" : "stop"),
    usage: { cacheRead: 0, cacheWrite: 0, reasoning: 0, ...usage },
    error: answer.error,
  };
}

/** Replies that providers give, as they word them. */
export const REFUSALS: Readonly<
  Record<"rateLimit" | "serverError" | "contextLength" | "badKey", StubRefusal>
> = {
  rateLimit: {
    status: 429,
    headers: { "retry-after": "2" },
    body: {
      type: "error",
      error: { type: "rate_limit_error", message: "Rate limit reached for stub-1" },
    },
  },
  serverError: {
    status: 500,
    body: { type: "error", error: { type: "api_error", message: "Internal server error" } },
  },
  contextLength: {
    status: 400,
    body: {
      type: "error",
      error: {
        type: "invalid_request_error",
        code: "context_length_exceeded",
        message: "prompt is too long: 213462 tokens > 200000 maximum",
      },
    },
  },
  badKey: {
    status: 401,
    body: {
      type: "error",
      error: {
        type: "authentication_error",
        code: "invalid_api_key",
        message: "Incorrect API key provided: sk-stub-SECRET-0123456789.",
      },
    },
  },
};
