import assert from "node:assert/strict";
import { type ClientRequest, request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { SseParser } from "../../client/sse-parser.ts";
import type { RunningServer } from "../server.ts";

/** What a load is like. */
export interface LoadOptions {
  readonly clients: number;
  /** Events a second, each of them to every client. */
  readonly rate: number;
  readonly seconds: number;
  /** Told about once a second, for long runs. */
  readonly onSecond?: (second: number, heapBytes: number) => void;
}

/** What came of it. Times in ms. */
export interface LoadReport {
  readonly sent: number;
  readonly received: number;
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
  /** Bytes of the heap after a collection where one could be asked for. */
  readonly heapBefore: number;
  readonly heapAfter: number;
}

/** Times are counted in steps of 0.1 ms up to a second, so that a long run needs no more memory. */
const STEPS = 10_000;

class Latencies {
  readonly #counts = new Uint32Array(STEPS + 1);
  #total = 0;
  max = 0;

  add(ms: number): void {
    const step = Math.min(STEPS, Math.max(0, Math.round(ms * 10)));
    this.#counts[step] = (this.#counts[step] ?? 0) + 1;
    this.#total++;
    this.max = Math.max(this.max, ms);
  }

  get total(): number {
    return this.#total;
  }

  at(share: number): number {
    let left = this.#total * share;
    for (const [step, count] of this.#counts.entries()) {
      left -= count;
      if (left <= 0) return step / 10;
    }
    return STEPS / 10;
  }
}

/** One stream over a socket of its own. */
function listen(
  server: RunningServer,
  name: string,
  onData: (data: string) => void,
): Promise<ClientRequest> {
  return new Promise((resolve, reject) => {
    const asked = request(
      `${server.origin}/api/events?client=${name}`,
      { headers: { Authorization: `Bearer ${server.token}` }, agent: false },
      (answer) => {
        if (answer.statusCode !== 200)
          return reject(new assert.AssertionError({ message: `status ${answer.statusCode}` }));
        const parser = new SseParser();
        answer.setEncoding("utf8");
        answer.on("data", (text: string) => {
          for (const { event, data } of parser.push(text)) {
            if (event === "snapshot") resolve(asked);
            else onData(data);
          }
        });
        answer.on("error", () => undefined);
      },
    );
    asked.on("error", reject);
    asked.end();
  });
}

/** Sends events at a steady rate to many streams and measures when they arrive, in one process. */
export async function sseLoad(server: RunningServer, options: LoadOptions): Promise<LoadReport> {
  const { clients, rate, seconds, onSecond } = options;
  const latencies = new Latencies();
  const streams: ClientRequest[] = [];
  const take = (data: string): void => {
    const { data: sent } = JSON.parse(data) as { data: { done: number } };
    latencies.add(performance.now() - sent.done);
  };
  for (let at = 0; at < clients; at++) streams.push(await listen(server, `c${at}`, take));
  const heapBefore = heap();
  const began = performance.now();
  let sent = 0;
  for (let second = 0; second < seconds; second++) {
    for (let at = 0; at < rate; at++) {
      const due = began + (sent * 1000) / rate;
      const wait = due - performance.now();
      if (wait > 1) await sleep(wait);
      const data = { done: performance.now(), total: sent++, what: "load" };
      server.core.hub.publish("index_progress", { sessionId: null }, data);
    }
    onSecond?.(second, process.memoryUsage().heapUsed);
  }
  const all = sent * clients;
  for (let tries = 0; latencies.total < all && tries < 100; tries++) await sleep(50);
  const heapAfter = heap();
  for (const stream of streams) stream.destroy();
  const { total, max } = latencies;
  const [p50, p99] = [latencies.at(0.5), latencies.at(0.99)];
  return { sent, received: total, p50, p99, max, heapBefore, heapAfter };
}

function heap(): number {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}
