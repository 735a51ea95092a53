import { RandomStream } from "./random-stream.ts";
import { type TextPools, textPools } from "./text-pools.ts";

/** A text that is put into the first fitting message. */
export interface Plant {
  readonly where: "assistant" | "tool";
  readonly text: string;
}

/** What a generated session is like. Its size is `bytes` or `entries`, whichever comes first. */
export interface GeneratorOptions {
  readonly seed: number;
  readonly bytes?: number;
  readonly entries?: number;
  /** "agent" = tool results of 1 to 50 KB, images, branches; "chat" = small messages. */
  readonly profile: "agent" | "chat";
  /** Share of texts in Chinese, default 0.2. */
  readonly chinese?: number;
  readonly plants?: readonly Plant[];
}

/** What a generated session holds, so that measurements can check their answers. */
export interface SessionFacts {
  readonly id: string;
  readonly bytes: number;
  readonly entries: number;
  readonly messages: number;
  readonly compactions: number;
  readonly branches: number;
  readonly images: number;
  readonly leaf: string;
  /** Entries from root to leaf. */
  readonly pathEntries: number;
  /** An entry in the middle of that path. */
  readonly middle: string;
  /** Estimated tokens of the context at the leaf. */
  readonly contextTokens: number;
}

interface Step {
  readonly id: string;
  readonly kind: string;
  readonly tokens: number;
  /** Of a compaction: place on the path from which entries are kept. */
  readonly keptFrom?: number;
}

/** Ms since the epoch of the first entry. */
const EPOCH = Date.UTC(2026, 0, 5, 8);
/** Compacted above this many tokens, down to the kept ones. */
const CONTEXT_TOKENS = 150_000;
const KEPT_TOKENS = 20_000;
const TOOLS = ["read", "bash", "grep", "edit", "write", "find"];
const MODELS = [
  ["anthropic", "claude-sonnet-4-5", "anthropic-messages"],
  ["openai", "gpt-5.2", "openai-responses"],
] as const;

/** Gives the lines of one session, header first, without newlines; returns what is inside. */
export function* generateSession(
  options: GeneratorOptions,
): Generator<string, SessionFacts, undefined> {
  return yield* new SessionGenerator(options).lines();
}

class SessionGenerator {
  readonly #options: GeneratorOptions;
  readonly #random: RandomStream;
  readonly #pools: TextPools = textPools();
  readonly #plants: Plant[];
  readonly #ids = new Set<string>();
  readonly #counts = { entries: 0, messages: 0, compactions: 0, branches: 0, images: 0 };
  #pending: string[] = [];
  #path: Step[] = [];
  #bytes = 0;
  #time = EPOCH;
  #contextFrom = 0;
  #tokens = 0;
  #model: (typeof MODELS)[number] = MODELS[0];
  #named = false;

  constructor(options: GeneratorOptions) {
    this.#options = options;
    this.#random = new RandomStream(options.seed);
    this.#plants = [...(options.plants ?? [])];
    this.#time += (options.seed % 5000) * 3_600_000;
  }

  *lines(): Generator<string, SessionFacts, undefined> {
    const { bytes = Number.POSITIVE_INFINITY, entries = Number.POSITIVE_INFINITY } = this.#options;
    const id = this.#uuid();
    const timestamp = new Date(this.#time).toISOString();
    this.#push({ type: "session", version: 3, id, timestamp, cwd: "/home/dev/project" });
    this.#emit("model_change", { provider: this.#model[0], modelId: this.#model[1] });
    this.#emit("thinking_level_change", { thinkingLevel: "off" });
    while (
      (this.#bytes < bytes && this.#counts.entries < entries) ||
      this.#plants.length > 0 ||
      this.#counts.messages === 0
    ) {
      this.#turn();
      yield* this.#pending;
      this.#pending = [];
    }
    return {
      id,
      bytes: this.#bytes,
      ...this.#counts,
      leaf: this.#parent as string,
      pathEntries: this.#path.length,
      middle: this.#path[this.#path.length >> 1]?.id as string,
      contextTokens: Math.round(this.#tokens),
    };
  }

  get #parent(): string | null {
    return this.#path.at(-1)?.id ?? null;
  }

  #turn(): void {
    this.#aside();
    if (this.#path.length > 12 && this.#random.chance(0.05)) this.#branchOff();
    this.#user();
    let steps = this.#options.profile === "chat" ? 12 : 0;
    while (steps < 12 && this.#random.chance(steps === 0 ? 0.9 : 0.7)) {
      this.#toolStep();
      steps += this.#bytes > (this.#options.bytes ?? Number.POSITIVE_INFINITY) ? 12 : 1;
    }
    this.#assistant([]);
    this.#compactIfFull();
    if (!this.#named) this.#name();
  }

  /** Now and then something that is no message. */
  #aside(): void {
    const dice = this.#random.fraction();
    if (dice < 0.01) {
      this.#model = this.#random.pick(MODELS);
      this.#emit("model_change", { provider: this.#model[0], modelId: this.#model[1] });
    } else if (dice < 0.02) {
      const thinkingLevel = this.#random.pick(["off", "low", "medium", "high"]);
      this.#emit("thinking_level_change", { thinkingLevel });
    } else if (dice < 0.03) {
      this.#emit("custom", { customType: "todo", data: { items: [this.#prose(10, 60)] } });
    } else if (dice < 0.035) {
      const content = this.#prose(50, 400);
      this.#emit("custom_message", { customType: "note", content, display: true }, content);
    } else if (dice < 0.045 && this.#path.length > 3) {
      const { id } = this.#random.pick(this.#path.slice(-20));
      this.#emit("label", { targetId: id, label: `mark-${this.#random.whole(1, 99)}` });
    } else if (dice < 0.047) this.#name();
  }

  #name(): void {
    this.#named = true;
    this.#emit("session_info", { name: this.#prose(12, 40).replaceAll(/\s+/g, " ").trim() });
  }

  #user(): void {
    const agent = this.#options.profile === "agent";
    const text = this.#prose(20, agent ? 2500 : 300);
    const content: unknown[] = [{ type: "text", text }];
    if (agent && this.#random.chance(0.01)) content.push(this.#image());
    this.#message({ role: "user", content, timestamp: this.#time }, text);
  }

  #assistant(calls: readonly Readonly<Record<string, unknown>>[]): void {
    const agent = this.#options.profile === "agent";
    const content: unknown[] = [];
    let said = "";
    if (agent && this.#random.chance(0.5)) {
      const thinking = this.#prose(100, 3000);
      content.push({ type: "thinking", thinking, thinkingSignature: this.#cut("base64", 180) });
      said += thinking;
    }
    if (calls.length === 0 || this.#random.chance(0.6)) {
      const prose = this.#prose(40, agent ? 3500 : 600);
      const text = calls.length === 0 ? this.#planted("assistant", prose) : prose;
      content.push({ type: "text", text });
      said += text;
    }
    content.push(...calls);
    const [provider, model, api] = this.#model;
    const usage = this.#usage(said.length);
    const stopReason = calls.length > 0 ? "toolUse" : "stop";
    const rest = { api, provider, model, usage, stopReason, timestamp: this.#time };
    this.#message({ role: "assistant", content, ...rest }, said);
  }

  #toolStep(): void {
    const calls = Array.from({ length: this.#random.chance(0.85) ? 1 : 2 }, () => {
      const name = this.#random.pick(TOOLS);
      const writes = name === "edit" || name === "write";
      const text = this.#cut("code", writes ? this.#random.logUniform(150, 4000) : 40);
      const id = `call_${this.#hex()}${this.#hex()}`;
      return { type: "toolCall", id, name, arguments: writes ? { content: text } : { text } };
    });
    this.#assistant(calls);
    for (const { id, name } of calls) {
      const text = this.#planted("tool", this.#cut("code", this.#random.logUniform(1024, 51_200)));
      const content: unknown[] = [{ type: "text", text }];
      if (this.#random.chance(0.007)) content.push(this.#image());
      const rest = { content, isError: this.#random.chance(0.06), timestamp: this.#time };
      this.#message({ role: "toolResult", toolCallId: id, toolName: name, ...rest }, text);
    }
    this.#compactIfFull();
  }

  /** Goes on above one of the last questions; half of the time with a summary of what was left. */
  #branchOff(): void {
    const questions: number[] = [];
    for (let at = this.#path.length - 1; at > 0 && questions.length < 5; at--) {
      if (this.#path[at]?.kind === "user") questions.push(at);
    }
    if (questions.length < 2) return;
    const fromId = this.#parent;
    this.#path.length = questions[this.#random.whole(1, questions.length - 1)] as number;
    this.#counts.branches++;
    this.#contextFrom = this.#path.findLast((step) => step.keptFrom !== undefined)?.keptFrom ?? 0;
    this.#tokens = sumOf(this.#path, this.#contextFrom);
    if (!this.#random.chance(0.5)) return;
    const summary = this.#prose(300, 2500);
    this.#emit("branch_summary", { fromId, summary }, summary);
  }

  #compactIfFull(): void {
    if (this.#tokens < CONTEXT_TOKENS) return;
    let cut = this.#path.length - 1;
    let kept = 0;
    const isTurn = (): boolean => /^(?:user|assistant)$/.test(this.#path[cut]?.kind ?? "");
    while (cut > this.#contextFrom && (kept < KEPT_TOKENS || !isTurn())) {
      kept += this.#path[cut]?.tokens ?? 0;
      cut--;
    }
    const summary = `## Goal\n${this.#prose(200, 600)}\n## Progress\n${this.#prose(1000, 5000)}`;
    const firstKeptEntryId = this.#path[cut]?.id;
    const tokensBefore = Math.round(this.#tokens);
    this.#emit("compaction", { summary, firstKeptEntryId, tokensBefore }, summary);
    this.#counts.compactions++;
    this.#path.push({ ...(this.#path.pop() as Step), keptFrom: cut });
    this.#contextFrom = cut;
    this.#tokens = sumOf(this.#path, cut);
  }

  #message(message: Readonly<Record<string, unknown>>, text: string): void {
    this.#counts.messages++;
    this.#emit("message", { message }, text);
  }

  #emit(type: string, members: Readonly<Record<string, unknown>>, text = ""): void {
    const id = this.#newId();
    this.#time += this.#random.whole(50, 4000);
    const timestamp = new Date(this.#time).toISOString();
    this.#push({ type, id, parentId: this.#parent, timestamp, ...members });
    this.#counts.entries++;
    const { role: kind = type } = (members.message ?? {}) as { readonly role?: string };
    const tokens = tokensOf(text);
    this.#tokens += tokens;
    this.#path.push({ id, kind, tokens });
  }

  #push(value: unknown): void {
    const line = JSON.stringify(value);
    this.#bytes += Buffer.byteLength(line) + 1;
    this.#pending.push(line);
  }

  #usage(characters: number): Readonly<Record<string, unknown>> {
    const input = this.#random.whole(5, 3000);
    const output = Math.round(characters / 4);
    const cacheRead = Math.round(this.#tokens);
    const cost = { input: input * 3e-6, output: output * 1.5e-5, cacheRead: cacheRead * 3e-7 };
    const total = cost.input + cost.output + cost.cacheRead;
    const totalTokens = input + output + cacheRead;
    const counts = { input, output, cacheRead, cacheWrite: 0, totalTokens };
    return { ...counts, cost: { ...cost, cacheWrite: 0, total } };
  }

  #image(): unknown {
    this.#counts.images++;
    const length = this.#random.logUniform(30_000, 250_000) & ~3;
    return { type: "image", data: this.#cut("base64", length), mimeType: "image/png" };
  }

  #planted(where: Plant["where"], text: string): string {
    const at = this.#plants.findIndex((plant) => plant.where === where);
    if (at === -1) return text;
    const [plant] = this.#plants.splice(at, 1);
    const half = text.length >> 1;
    return `${text.slice(0, half)} ${plant?.text} ${text.slice(half)}`;
  }

  #prose(low: number, high: number): string {
    const length = this.#random.logUniform(low, high);
    if (!this.#random.chance(this.#options.chinese ?? 0.2)) return this.#cut("english", length);
    return this.#cut("chinese", Math.max(8, length >> 1));
  }

  #cut(pool: keyof TextPools, length: number): string {
    const text = this.#pools[pool];
    const at = this.#random.whole(0, text.length - length - 1);
    return text.slice(at, at + length);
  }

  #newId(): string {
    let id = this.#hex();
    while (this.#ids.has(id)) id = this.#hex();
    this.#ids.add(id);
    return id;
  }

  #hex(): string {
    return this.#random.word().toString(16).padStart(8, "0");
  }

  #uuid(): string {
    const [a, b, c] = [this.#hex(), this.#hex(), this.#hex()];
    return `${a}-${b.slice(0, 4)}-7${b.slice(5)}-8${c.slice(0, 3)}-${c.slice(4)}${this.#hex()}`;
  }
}

/** A rough estimate: four characters of English or one and a half of Chinese are a token. */
function tokensOf(text: string): number {
  return text.length / (text.charCodeAt(0) > 0x2e80 ? 1.5 : 4);
}

function sumOf(path: readonly Step[], from: number): number {
  let sum = 0;
  for (let at = from; at < path.length; at++) sum += path[at]?.tokens ?? 0;
  return sum;
}
