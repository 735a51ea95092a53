import type { AssistantMessage } from "../entry/message.ts";
import type { ModelInfo, ModelProvider } from "../model/model.ts";
import { modelTitle } from "./agent-models.ts";
import { counted } from "./counted.ts";

/** What the requests of a run used. */
export interface UsageSum {
  /** The model of the last answer; null where nothing answered. */
  readonly model: {
    readonly provider: string;
    readonly modelId: string;
    readonly isOffline: boolean;
  } | null;
  readonly requests: number;
  /** `input` excludes the cache. */
  readonly usage: {
    readonly input: number;
    readonly output: number;
    readonly cacheRead: number;
    readonly cacheWrite: number;
  };
  /** US dollars; null where the price of a request is not known. */
  readonly cost: number | null;
}

/** Adds up what answers used. */
export class RunUsage {
  readonly #models: ModelProvider;
  readonly #answers: AssistantMessage[] = [];
  #last: ModelInfo | null = null;

  constructor(models: ModelProvider) {
    this.#models = models;
  }

  add(answer: AssistantMessage): void {
    this.#answers.push(answer);
  }

  /** A price that is not known makes the sum unknown: zeros in a message may be either. */
  async sum(): Promise<UsageSum> {
    const usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
    let cost: number | null = 0;
    for (const answer of this.#answers) {
      const { provider, model: modelId } = answer;
      this.#last = await this.#models.find({ provider, modelId });
      const used = answer.usage;
      if (used === undefined) continue;
      usage.input += used.input;
      usage.output += used.output;
      usage.cacheRead += used.cacheRead;
      usage.cacheWrite += used.cacheWrite;
      const isPriced: boolean = this.#last !== null && this.#last.prices !== null;
      cost = cost === null || !isPriced ? null : cost + (used.cost?.total ?? 0);
    }
    return { model: this.#model(), requests: this.#answers.length, usage, cost };
  }

  #model(): UsageSum["model"] {
    if (this.#last === null) return null;
    const { provider, modelId, isOffline } = this.#last;
    return { provider, modelId, isOffline };
  }

  /** The sum for people. */
  line({ requests, usage, cost }: UsageSum): string {
    const name = this.#last === null ? "" : `${modelTitle(this.#last)} · `;
    const input = usage.input + usage.cacheRead + usage.cacheWrite;
    const tokens = `${input.toLocaleString("en-US")} tokens in, ${usage.output.toLocaleString("en-US")} out`;
    const price = cost === null ? "cost unknown" : `$${cost.toFixed(4)}`;
    return `${name}${counted(requests, "request")} · ${tokens} · ${price}`;
  }
}
