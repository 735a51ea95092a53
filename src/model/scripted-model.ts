import type { Usage } from "../entry/message.ts";
import { estimateContextTokens, estimateTokens } from "../projection/token-estimate.ts";
import type { ModelRef } from "../tree/fold.ts";
import { ABORTED, orAborted } from "./abort-wait.ts";
import { AnswerBuilder, type AnswerEnd } from "./answer-builder.ts";
import { usageOf } from "./cost.ts";
import type {
  ModelContext,
  ModelEvent,
  ModelInfo,
  ModelProvider,
  StopReason,
  StreamOptions,
} from "./model.ts";
import { ifNamed } from "./sole-model.ts";

/** A call that a step makes. */
export interface ScriptedCall {
  readonly name: string;
  /** An object, or the text that a model would have sent for one: `"{"` makes unreadable arguments. */
  readonly arguments: Readonly<Record<string, unknown>> | string;
  /** Default `call-1`, `call-2`, … over the whole script. */
  readonly id?: string;
}

/** One answer. Its parts stream in this order: thinking, text, calls. */
export interface ScriptedStep {
  readonly thinking?: string;
  readonly text?: string;
  readonly calls?: readonly ScriptedCall[];
  /** Default: "error" with `error` or `overflow`, "toolUse" with calls, else "stop". */
  readonly stopReason?: StopReason;
  /** The message fails with this text after what it has streamed. */
  readonly error?: string;
  /** It fails because the request does not fit the window. */
  readonly overflow?: true;
  /** What the provider counted. Default: estimates of the request and the answer. */
  readonly usage?: Partial<Usage>;
  /** Characters of a delta. Default: each part in one. */
  readonly chunk?: number;
  /**
   * Holds the stream: a promise, before the first delta; a function, before each (it is given the
   * number of the delta, from 0). An abort goes past it.
   */
  readonly gate?: Promise<void> | ((delta: number) => Promise<void> | undefined);
}

/** A step, or what makes it from the request. A function that throws makes the answer an error. */
export type ScriptedStepSource =
  | ScriptedStep
  | ((request: ScriptedRequest) => ScriptedStep | Promise<ScriptedStep>);

/** A request that was made: deep copies. */
export interface ScriptedRequest extends ModelContext {
  readonly model: ModelInfo;
  /** Without the signal. */
  readonly options: Omit<StreamOptions, "signal">;
}

/** How to make a {@link ScriptedModel}. */
export interface ScriptedModelOptions {
  /** Members of its description that differ from the default. */
  readonly info?: Partial<ModelInfo>;
  /** ms since the epoch. Default: a fixed time and one more second for each request. */
  readonly now?: () => number;
}

/** A model that answers from a script, for tests: no clock, no network, no chance. */
export interface ScriptedModel extends ModelProvider {
  readonly info: ModelInfo;
  /** What it was asked so far. */
  readonly requests: readonly ScriptedRequest[];
  /** Steps that are left. */
  readonly remaining: number;
  /** Adds steps at the end. */
  push(...steps: readonly ScriptedStepSource[]): void;
}

const INFO: ModelInfo = {
  provider: "scripted",
  modelId: "scripted-1",
  name: "Scripted",
  contextWindow: 200_000,
  maxOutput: 8192,
  prices: { input: 1, output: 2, cacheRead: 0.1, cacheWrite: 1.25 },
  takesImages: true,
  isOffline: true,
};
const EPOCH = Date.UTC(2026, 0, 1);
const OVERFLOW = "400 context_length_exceeded: the request does not fit the context window";

/** What a step is once its request was aborted. */
const CUT: ScriptedStep = { stopReason: "aborted" };

/** One piece of a step. Of calls, `text` is JSON. */
interface Delta {
  readonly kind: "text" | "thinking" | "toolCall";
  readonly text: string;
  readonly call?: { readonly id: string; readonly name: string };
}

function addDelta(answer: AnswerBuilder, { kind, text, call }: Delta): ModelEvent {
  if (call !== undefined) return answer.call(call.id, { ...call, text });
  return kind === "text" ? answer.text(text) : answer.thinking(text);
}

async function gateOf({ gate }: ScriptedStep, delta: number): Promise<void> {
  if (typeof gate === "function") await gate(delta);
  else if (delta === 0) await gate;
}

const argumentText = (call: ScriptedCall): string =>
  typeof call.arguments === "string" ? call.arguments : JSON.stringify(call.arguments);

/** The text in pieces of `size` characters; surrogate pairs stay whole. */
function pieces(text: string, size: number | undefined): readonly string[] {
  if (size === undefined) return text === "" ? [] : [text];
  const chars = [...text];
  const cut: string[] = [];
  const step = Math.max(1, size);
  for (let at = 0; at < chars.length; at += step) cut.push(chars.slice(at, at + step).join(""));
  return cut;
}

function textDeltas(step: ScriptedStep, kind: "text" | "thinking"): readonly Delta[] {
  return pieces(step[kind] ?? "", step.chunk).map((text) => ({ kind, text }));
}

function answerEnd(step: ScriptedStep): Omit<AnswerEnd, "usage"> {
  const error = step.error ?? (step.overflow === true ? OVERFLOW : undefined);
  if (error !== undefined) return { stopReason: step.stopReason ?? "error", errorMessage: error };
  const usual: StopReason = (step.calls?.length ?? 0) > 0 ? "toolUse" : "stop";
  const stopReason = step.stopReason ?? usual;
  return stopReason === "aborted"
    ? { stopReason, errorMessage: "Request was aborted" }
    : { stopReason };
}

/** What the step says; else estimates, as a provider counts; nothing where the request failed. */
function stepUsage(
  step: ScriptedStep,
  end: Omit<AnswerEnd, "usage">,
  request: ScriptedRequest,
): Usage {
  const failed = end.errorMessage !== undefined;
  const content = [
    { type: "thinking", thinking: step.thinking ?? "" },
    { type: "text", text: step.text ?? "" },
    { type: "text", text: (step.calls ?? []).map((call) => call.name + argumentText(call)).join() },
  ];
  const said = { role: "assistant", content };
  const tools = { role: "user", content: JSON.stringify(request.tools) };
  const counts = {
    input: failed ? 0 : estimateContextTokens([...request.messages, tools]),
    output: failed ? 0 : estimateTokens(said),
    ...step.usage,
  };
  const usage = usageOf(counts, request.model.prices);
  return { ...usage, ...step.usage };
}

class Script implements ScriptedModel {
  readonly info: ModelInfo;
  readonly requests: ScriptedRequest[] = [];
  readonly #steps: ScriptedStepSource[];
  readonly #now: () => number;
  #calls = 0;

  constructor(steps: readonly ScriptedStepSource[], options: ScriptedModelOptions) {
    this.info = { ...INFO, ...options.info };
    this.#steps = [...steps];
    this.#now = options.now ?? (() => EPOCH + this.requests.length * 1000);
  }

  get remaining(): number {
    return Math.max(0, this.#steps.length - this.requests.length);
  }

  push(...steps: readonly ScriptedStepSource[]): void {
    this.#steps.push(...steps);
  }

  list(): Promise<readonly ModelInfo[]> {
    return Promise.resolve([this.info]);
  }

  find(ref: ModelRef): Promise<ModelInfo | null> {
    return Promise.resolve(ifNamed(this.info, ref));
  }

  async *stream(
    model: ModelInfo,
    context: ModelContext,
    options: StreamOptions = {},
  ): AsyncGenerator<ModelEvent> {
    const { signal, ...rest } = options;
    const place = this.requests.length;
    // By JSON: what a caller adds to a tool for itself, such as its function, is not sent to a model.
    const request: ScriptedRequest = JSON.parse(
      JSON.stringify({ model, ...context, options: rest }),
    );
    this.requests.push(request);
    const answer = new AnswerBuilder({ model, api: "scripted", timestamp: this.#now() });
    yield answer.start();
    const found = await orAborted(this.#step(place, request), signal);
    const step = found === ABORTED ? CUT : found;
    let end = answerEnd(step);
    for (const [number, delta] of this.#deltas(step).entries()) {
      if ((await orAborted(gateOf(step, number), signal)) === ABORTED) {
        end = answerEnd(CUT);
        break;
      }
      yield addDelta(answer, delta);
    }
    yield answer.finish({ ...end, usage: stepUsage(step, end, request) });
  }

  /** The step of this place, or one that says why there is none. Never rejects. */
  async #step(place: number, request: ScriptedRequest): Promise<ScriptedStep> {
    const source = this.#steps[place];
    if (source === undefined) return { error: `the script has no answer ${place + 1}` };
    if (typeof source !== "function") return source;
    try {
      return await source(request);
    } catch (error) {
      return { error: `the script failed: ${error instanceof Error ? error.message : error}` };
    }
  }

  #deltas(step: ScriptedStep): readonly Delta[] {
    const deltas = [...textDeltas(step, "thinking"), ...textDeltas(step, "text")];
    for (const call of step.calls ?? []) {
      this.#calls++;
      const id = call.id ?? `call-${this.#calls}`;
      const text = argumentText(call);
      const cut = pieces(text, step.chunk);
      for (const piece of cut.length === 0 ? [""] : cut) {
        deltas.push({ kind: "toolCall", text: piece, call: { id, name: call.name } });
      }
    }
    return deltas;
  }
}

/**
 * A model that gives the steps one after another, one for each request. Where they run out it answers
 * with an error that says so. Its `list` names one model, `info`; requests for any model are answered.
 *
 * @example
 * const model = createScriptedModel([
 *   { calls: [{ name: "read", arguments: { path: "a.txt" } }] },
 *   ({ messages }) => ({ text: `${messages.length} messages`, chunk: 4 }),
 *   { error: "429 rate limit" },
 * ]);
 */
export function createScriptedModel(
  steps: readonly ScriptedStepSource[],
  options: ScriptedModelOptions = {},
): ScriptedModel {
  return new Script(steps, options);
}
