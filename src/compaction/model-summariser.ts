import type { AssistantMessage, Cost, Usage } from "../entry/message.ts";
import { textOf } from "./message-text.ts";
import type { SummariseOptions, Summariser, Summary, SummaryInput } from "./summariser.ts";
import { SUMMARY_SYSTEM, summaryPrompt, turnPrompt, withTurn } from "./summary-prompt.ts";
import { textTokens, transcriptSteps } from "./transcript.ts";

/** One request to a model: text only, no tools. */
export interface SummaryRequest {
  readonly system: string;
  /** The one user message. */
  readonly text: string;
  /** Most tokens of the answer. */
  readonly maxTokens: number;
  readonly signal?: AbortSignal | undefined;
  /** May be told of the text as it comes. */
  readonly onText?: ((delta: string) => void) | undefined;
}

/** Makes one request; does not reject for what a provider does: the message tells it. */
export type SummaryStream = (request: SummaryRequest) => Promise<AssistantMessage>;

/** Tokens of one request where the window is not known. */
const DEFAULT_INPUT = 100_000;
/** A request is never planned with less than this, however small the window. */
const LEAST_INPUT = 1000;

type PromptOf = (transcript: string, previousSummary: string | null) => string;

function add(a: number | undefined, b: number | undefined): number {
  return (a ?? 0) + (b ?? 0);
}

function addCost(a: Cost | undefined, b: Cost): Cost {
  return {
    input: add(a?.input, b.input),
    output: add(a?.output, b.output),
    cacheRead: add(a?.cacheRead, b.cacheRead),
    cacheWrite: add(a?.cacheWrite, b.cacheWrite),
    total: add(a?.total, b.total),
  };
}

function addUsage(a: Usage | undefined, b: Usage): Usage {
  const cost = b.cost === undefined ? a?.cost : addCost(a?.cost, b.cost);
  return {
    input: add(a?.input, b.input),
    output: add(a?.output, b.output),
    cacheRead: add(a?.cacheRead, b.cacheRead),
    cacheWrite: add(a?.cacheWrite, b.cacheWrite),
    totalTokens: add(a?.totalTokens, b.totalTokens),
    ...(cost === undefined ? {} : { cost }),
  };
}

/** Makes the requests of one summary, one after the other, and adds up what they used. */
class SummaryRun {
  readonly #stream: SummaryStream;
  readonly #options: SummariseOptions;
  readonly #maxTokens: number;
  #usage: Usage | undefined;

  constructor(stream: SummaryStream, maxTokens: number, options: SummariseOptions) {
    this.#stream = stream;
    this.#maxTokens = maxTokens;
    this.#options = options;
  }

  /** One summary over all steps, each with the one before as its memory. Ends at the first that fails. */
  async fold(steps: readonly string[], from: string | null, prompt: PromptOf): Promise<Summary> {
    let summary: Summary = { text: from ?? "", stopReason: "stop" };
    for (const [index, step] of steps.entries()) {
      summary = await this.#request(prompt(step, index === 0 ? from : summary.text));
      if (summary.stopReason !== "stop" || summary.text.trim() === "") break;
    }
    return { ...summary, usage: this.#usage };
  }

  async #request(text: string): Promise<Summary> {
    const { signal, onText } = this.#options;
    const maxTokens = this.#maxTokens;
    const message = await this.#stream({ system: SUMMARY_SYSTEM, text, maxTokens, signal, onText });
    const { stopReason = "stop", errorMessage, usage } = message;
    if (usage !== undefined) this.#usage = addUsage(this.#usage, usage);
    return { text: textOf(message.content), stopReason, errorMessage };
  }
}

function inputTokens({ inputTokens: most, previousSummary }: SummaryInput): number {
  const memory = previousSummary === null ? 0 : textTokens(previousSummary);
  return Math.max(LEAST_INPUT, (most ?? DEFAULT_INPUT) - memory);
}

async function summarise(run: SummaryRun, input: SummaryInput): Promise<Summary> {
  const { kind, messages, turnPrefix, previousSummary, instructions } = input;
  const most = inputTokens(input);
  const steps = transcriptSteps(messages, most);
  const history = await run.fold(steps, previousSummary, (transcript, memory) =>
    summaryPrompt({ kind, transcript, previousSummary: memory, instructions }),
  );
  const isWhole =
    history.stopReason === "stop" && (steps.length === 0 || history.text.trim() !== "");
  if (!isWhole || turnPrefix.length === 0) return history;
  const turn = await run.fold(transcriptSteps(turnPrefix, most), null, (transcript, memory) =>
    turnPrompt({ transcript, previousSummary: memory, instructions }),
  );
  if (turn.stopReason !== "stop" || turn.text.trim() === "") return turn;
  return { ...turn, text: withTurn(history.text, turn.text) };
}

/**
 * A summariser with a model behind it. It sends text only, offers no tools, and makes one request after
 * the other: for the history, in steps where it does not fit into one, each step with the summary so far
 * (F078); then for the first part of a turn that was split. `stream` makes one request. Whether an
 * answer may be used is checked by `compact`.
 */
export function modelSummariser(stream: SummaryStream, name = "model"): Summariser {
  return {
    name,
    isExtractive: false,
    summarise: (input, options = {}) =>
      summarise(new SummaryRun(stream, input.maxTokens, options), input),
  };
}
