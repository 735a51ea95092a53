import type { AssistantMessage, Message } from "../entry/message.ts";
import type { HarnessEvent, RunOutcome } from "../harness/events.ts";
import type { ToolOutput } from "../harness/tool.ts";
import type { ModelProvider } from "../model/model.ts";
import { contentWords } from "../session/entry-preview.ts";
import type { Session } from "../session/session.ts";
import { safeLine } from "../view/safe-text.ts";
import { styled } from "./color.ts";
import type { Output } from "./output.ts";
import { type RunEnd, runEventRow, textOfMessage } from "./run-events.ts";
import { RunUsage } from "./run-usage.ts";
import { truncate } from "./width.ts";

/** What a printer works with. */
export interface PrinterParts {
  readonly out: Output;
  readonly session: Session;
  /** For prices. */
  readonly models: ModelProvider;
}

/** Columns of the arguments of a call in its line. */
const ARGUMENT_COLUMNS = 60;

/** Of the run that is told of now. */
interface Telling {
  readonly run: string;
  readonly branch: string;
  readonly usage: RunUsage;
  outcome: RunOutcome;
  /** The answers' texts, the last one is the result. */
  text: string;
  error: string | null;
  /** Messages of people so far; the first one is the prompt. */
  spoken: number;
}

/**
 * Shows runs as they happen: text on standard output as it comes, one line for each call and the usage at
 * the end on standard error; with --json one event a line (docs/cli-json.md).
 */
export class RunPrinter {
  readonly #parts: PrinterParts;
  readonly #calls = new Map<string, string>();
  #telling: Telling | null = null;
  /** True while a line of an answer is not at its end. */
  #isOpen = false;

  constructor(parts: PrinterParts) {
    this.#parts = parts;
  }

  /** Hears a harness. */
  async hear(event: HarnessEvent): Promise<void> {
    this.#note(event);
    const { out, session } = this.#parts;
    if (out.json) {
      const row = runEventRow(event, session.id);
      if (row !== null) out.object(row);
    } else this.#show(event);
    if (event.type === "settled") await this.#end();
  }

  /** Ends the line of an answer that is not at its end, before anything else is printed. */
  freshLine(): void {
    if (this.#isOpen) this.#parts.out.text("\n");
    this.#isOpen = false;
  }

  /** A remark for people, on a line of its own. */
  talk(text: string): void {
    this.freshLine();
    this.#parts.out.talk(styled("faint", text));
  }

  #note(event: HarnessEvent): void {
    if (event.type === "agent_start") {
      const { runId: run, branch } = event;
      const usage = new RunUsage(this.#parts.models);
      this.#telling = { run, branch, usage, outcome: "done", text: "", error: null, spoken: 0 };
    }
    const telling = this.#telling;
    if (telling === null) return;
    if (event.type === "agent_end") telling.outcome = event.outcome;
    if (event.type !== "message_end") return;
    const { message } = event;
    if (message.role === "user") telling.spoken++;
    if (isAnswer(message)) {
      telling.usage.add(message);
      telling.text = textOfMessage(message);
      telling.error = message.errorMessage ?? null;
    }
  }

  #show(event: HarnessEvent): void {
    switch (event.type) {
      case "message_update":
        if (event.event.type === "text_delta") this.#write(event.event.delta);
        break;
      case "message_end":
        this.freshLine();
        if (event.message.role === "user" && (this.#telling?.spoken ?? 0) > 1) {
          this.talk(`you: ${oneLine(contentWords(event.message.content), 200)}`);
        }
        break;
      case "retry_scheduled": {
        const seconds = (event.delayMs / 1000).toFixed(1);
        this.talk(`the model failed (${oneLine(event.error, 200)}); again in ${seconds} s`);
        break;
      }
      default:
        this.#showWork(event);
    }
  }

  #showWork(event: HarnessEvent): void {
    switch (event.type) {
      case "tool_execution_start":
        this.#calls.set(event.callId, argumentText(event.arguments));
        break;
      case "tool_execution_end":
        this.#showResult(event);
        break;
      case "compaction_start":
        this.talk(`compacting (${event.reason}) …`);
        break;
      case "compaction_end": {
        const { error, tokensBefore, tokensAfter } = event;
        this.talk(
          error === null
            ? `compacted: about ${tokensBefore} → ${tokensAfter} tokens; the originals stay`
            : `not compacted: ${error}`,
        );
        break;
      }
      default:
    }
  }

  #showResult(event: Extract<HarnessEvent, { type: "tool_execution_end" }>): void {
    this.freshLine();
    const args = this.#calls.get(event.callId) ?? "";
    this.#calls.delete(event.callId);
    const size = `${contentWords(event.output.content).length} characters`;
    const said = event.isError ? `failed: ${resultText(event.output)}` : size;
    this.#parts.out.talk(
      styled(event.isError ? "warning" : "tool", `→ ${event.name}`),
      args === "" ? "" : ` ${args}`,
      styled("faint", `  ${said}`),
    );
  }

  async #end(): Promise<void> {
    const telling = this.#telling;
    this.#telling = null;
    this.freshLine();
    if (telling === null) return;
    const { run, branch, outcome, text, error } = telling;
    const usage = await telling.usage.sum();
    const { out, session } = this.#parts;
    const failure = outcome === "error" ? (error ?? "the run failed") : null;
    const { leaf } = session;
    const end: RunEnd = { run, branch, outcome, leaf, text, error: failure, ...usage };
    if (out.json) out.object({ event: "result", session: session.id, ...end });
    else {
      if (failure !== null) out.talk(styled("error", "the model failed: "), failure);
      else if (outcome !== "done" && outcome !== "stopped") this.talk(outcomeText(outcome));
      if (usage.requests > 0) this.talk(telling.usage.line(usage));
    }
  }

  #write(text: string): void {
    if (text === "") return;
    this.#parts.out.text(text);
    this.#isOpen = !text.endsWith("\n");
  }
}

function isAnswer(message: Message): message is AssistantMessage {
  return message.role === "assistant";
}

function outcomeText(outcome: RunOutcome): string {
  if (outcome === "aborted") return "aborted; what came until then is kept";
  return outcome === "approval"
    ? "stopped: the budget of the plan is used up, a person has to raise it"
    : "stopped: too many turns without a word of a person";
}

function oneLine(text: string, columns: number): string {
  return truncate(safeLine(text), columns);
}

function argumentText(args: Readonly<Record<string, unknown>>): string {
  const texts = Object.entries(args).map(([name, value]) => {
    return `${name}=${typeof value === "string" ? value : JSON.stringify(value)}`;
  });
  return oneLine(texts.join(" "), ARGUMENT_COLUMNS);
}

function resultText(output: ToolOutput): string {
  return oneLine(contentWords(output.content), 200);
}
