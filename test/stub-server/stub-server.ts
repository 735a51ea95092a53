/**
 * A server on the loopback that speaks the streaming wire formats of OpenAI (chat completions, responses)
 * and Anthropic (messages). It answers from a script, so that the network path of adapters and of other
 * people's SDKs is exercised without any provider.
 */
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { anthropicEvents } from "./anthropic-events.ts";
import { openAiChatEvents } from "./openai-chat-events.ts";
import { openAiResponsesEvents } from "./openai-responses-events.ts";
import {
  partsOf,
  type StubAnswer,
  type StubEvent,
  type StubParts,
  type StubRefusal,
  type StubReply,
} from "./stub-reply.ts";

/** A request as it came. */
export interface StubRequest {
  readonly path: string;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: Readonly<Record<string, unknown>>;
}

const FORMATS: readonly (readonly [string, (parts: StubParts) => readonly StubEvent[]])[] = [
  ["/chat/completions", openAiChatEvents],
  ["/responses", openAiResponsesEvents],
  ["/messages", anthropicEvents],
];

const NO_REPLY: StubRefusal = {
  status: 418,
  body: { error: { message: "the script is at its end" } },
};

/** Resolves when the client has gone. */
async function gone(response: ServerResponse): Promise<void> {
  if (!response.closed) await once(response, "close");
}

/** An exchange. */
interface Exchange {
  readonly response: ServerResponse;
  /** Resolves when it is over. */
  readonly gone: Promise<void>;
}

async function stream(
  { response, gone }: Exchange,
  answer: StubAnswer,
  events: readonly StubEvent[],
): Promise<void> {
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.flushHeaders();
  for (const [number, { event, data }] of events.entries()) {
    await Promise.race([answer.gate?.(number), gone]);
    if (response.closed) return;
    if (answer.cutAfter === number) {
      response.destroy();
      return;
    }
    const name = event === undefined ? "" : `event: ${event}\n`;
    const line = typeof data === "string" ? data : JSON.stringify(data);
    // Waits until it is on its way, so that a cut comes after it.
    await new Promise<void>((resolve) =>
      response.write(`${name}data: ${line}\n\n`, () => resolve()),
    );
  }
  response.end();
}

/** The server. Whoever started it closes it. */
export class StubServer implements AsyncDisposable {
  /** What came, in order. */
  readonly requests: StubRequest[] = [];
  /** Resolves, for each request, when its connection is over; true = the client left before the end. */
  readonly left: Promise<boolean>[] = [];
  readonly #replies: StubReply[] = [];
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
    server.on("request", (request, response) => {
      this.#answer(request, response).catch((error: unknown) => response.destroy(error as Error));
    });
  }

  static async start(...replies: readonly StubReply[]): Promise<StubServer> {
    const server = createServer();
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const stub = new StubServer(server);
    stub.push(...replies);
    return stub;
  }

  /** `http://127.0.0.1:PORT`, without a path. */
  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Adds replies at the end of the script. */
  push(...replies: readonly StubReply[]): void {
    this.#replies.push(...replies);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    if (this.#server.listening) await once(this.#server, "close");
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const over = gone(response);
    this.left.push(over.then(() => !response.writableEnded));
    const { pathname } = new URL(request.url ?? "/", this.url);
    const body = JSON.parse((await text(request)) || "{}");
    this.requests.push({ path: pathname, headers: request.headers, body });
    const reply = this.#replies.shift() ?? NO_REPLY;
    const format = FORMATS.find(([end]) => pathname.endsWith(end))?.[1];
    if (format === undefined) {
      response.writeHead(404).end("no such path");
    } else if ("status" in reply) {
      const isText = typeof reply.body === "string";
      const type = isText ? "text/html" : "application/json";
      response.writeHead(reply.status, { "content-type": type, ...reply.headers });
      response.end(isText ? reply.body : JSON.stringify(reply.body));
    } else {
      await stream({ response, gone: over }, reply, format(partsOf(reply)));
    }
  }
}
