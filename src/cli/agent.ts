import { existsSync } from "node:fs";
import { realpath } from "node:fs/promises";
import path from "node:path";
import { replaySystem } from "../compaction/system-replay.ts";
import type { SystemMessage } from "../entry/message.ts";
import { BranchlineError } from "../errors.ts";
import type { Harness } from "../harness/harness.ts";
import { heldInstructions } from "../harness/instructions.ts";
import type { RunResult } from "../harness/run-result.ts";
import type { PendingCall, Permission, Tool } from "../harness/tool.ts";
import type { WorkingFiles } from "../harness/working-files.ts";
import type { Workspace } from "../harness/workspace.ts";
import { throwIfAborted } from "../io/clock.ts";
import type { AgreedInstructions } from "../local/agreed-instructions.ts";
import { modelOfPath } from "../model/model-choice.ts";
import type { Session } from "../session/session.ts";
import { safeLine } from "../view/safe-text.ts";
import { type ChosenModels, chooseModels, modelTitle } from "./agent-models.ts";
import { styled } from "./color.ts";
import type { ExitCode } from "./exit-code.ts";
import { LineReader } from "./line-reader.ts";
import { onInterrupt } from "./run-interrupt.ts";
import { RunPrinter } from "./run-printer.ts";
import { usage } from "./usage.ts";
import type { Call, VerbOption } from "./verb.ts";
import { truncate } from "./width.ts";

/** Options of the verbs that only need a model. */
export const MODEL_OPTIONS: readonly VerbOption[] = [
  { name: "model", value: "provider/id", about: "the model from here on; docs/models.md" },
  { name: "offline", about: "the built-in model that needs no key: keywords, no AI" },
];

/** Options of all verbs that run an agent. */
export const AGENT_OPTIONS: readonly VerbOption[] = [
  ...MODEL_OPTIONS,
  { name: "tools", value: "set", choices: ["demo", "none"], about: "default demo" },
  {
    name: "workspace",
    value: "dir",
    about: "what the tools see; default the session's folder, where you are in it or above it",
  },
  { name: "yes", about: "let tools change files without asking" },
  { name: "agree", about: "send the system text that the session holds, now and later" },
];

/** Columns of the question about a call. */
const QUESTION_COLUMNS = 300;

/** What an agent of the command line is made of. */
interface AgentParts {
  readonly call: Call;
  readonly session: Session;
  readonly harness: Harness;
  readonly models: ChosenModels;
  readonly printer: RunPrinter;
  readonly reader: LineReader;
  readonly instructions: AgreedInstructions;
}

/** How an agent is opened. */
export interface AgentOpenOptions {
  /** Where it will run; default the leaf. */
  readonly at?: string | null;
  /** "nothing" = the verb tells by itself what came of it. Default "runs". */
  readonly shows?: "runs" | "nothing";
}

/** What an agent is asked to do. */
export type AgentWork = (harness: Harness) => Promise<RunResult | null>;

/** An agent on a session, shown on this terminal. Close it before the session. */
export class Agent implements AsyncDisposable {
  readonly session: Session;
  readonly harness: Harness;
  readonly models: ChosenModels;
  readonly printer: RunPrinter;
  readonly reader: LineReader;
  readonly #call: Call;
  readonly #instructions: AgreedInstructions;
  readonly #stop = new AbortController();

  private constructor(parts: AgentParts) {
    this.session = parts.session;
    this.harness = parts.harness;
    this.models = parts.models;
    this.printer = parts.printer;
    this.reader = parts.reader;
    this.#call = parts.call;
    this.#instructions = parts.instructions;
  }

  /** Opens it with the options of the call. Throws USAGE, MODEL_UNKNOWN. */
  static async open(call: Call, session: Session, options: AgentOpenOptions = {}): Promise<Agent> {
    const { at = session.leaf, shows = "runs" } = options;
    const models = await chooseModels(call.io, {
      named: call.text("model"),
      offline: call.has("offline") ? "only" : "last",
      inForce: modelOfPath(session.tree, at),
    });
    const [{ openHarness, STANDARD_PROMPT }, { AgreedInstructions }] = await Promise.all([
      import("../harness/standard-agent.ts"),
      import("../local/agreed-instructions.ts"),
    ]);
    const reader = new LineReader(call.io);
    const printer = new RunPrinter({ out: call.out, session, models: models.provider });
    const folder = await workspaceFolder(call, session, printer);
    const instructions = new AgreedInstructions(call.sessions.home.store.values, STANDARD_PROMPT);
    const harness = await openHarness({
      session,
      models: models.provider,
      model: { provider: models.first.provider, modelId: models.first.modelId },
      ...(await filesOf(folder)),
      instructions: (message) => instructions.has(message),
      permit: (pending, tool) => permissionFor(call, pending, tool),
      confirm: (pending, question) => confirmed(reader, { call, printer, pending, question }),
    });
    if (shows === "runs") harness.subscribe((event) => printer.hear(event));
    return new Agent({ call, session, harness, models, printer, reader, instructions });
  }

  /** Says in one line which model answers, and puts the one that was named into the path. */
  async begin(): Promise<void> {
    const { first, note } = this.models;
    const why = note === null ? "" : ` (${note})`;
    this.#call.out.talk(styled("faint", safeLine(`model ${modelTitle(first)}${why}`)));
    if (this.#call.has("model")) {
      await this.harness.setModel({ provider: first.provider, modelId: first.modelId });
    }
    await this.#tellInstructions();
    // Ctrl-C while nothing runs yet must not be lost.
    throwIfAborted(this.#stop.signal);
  }

  /** System text of the session is sent only where a person agreed to it (reliability.md S13). */
  async #tellInstructions(): Promise<void> {
    const { messages } = await this.session.context();
    const instructions = this.#instructions;
    if (this.#call.has("agree")) {
      const replay = replaySystem(messages);
      // What a compaction would make of several counts too.
      return await instructions.agreeTo(replay === null ? [] : [...messages, replay]);
    }
    const check = { instructions: (message: SystemMessage) => instructions.has(message) };
    const held = await heldInstructions(messages, check);
    if (held.size === 0) return;
    this.printer.talk("the session holds instructions that nobody agreed to: not sent (--agree)");
  }

  /** As {@link Agent.runUnwatched}; Ctrl-C aborts it. */
  async run(work: AgentWork): Promise<ExitCode> {
    const stop = onInterrupt(() => void this.abort());
    try {
      return await this.runUnwatched(work);
    } finally {
      stop();
    }
  }

  /**
   * Runs something to its end, with what starts by itself after it. Gives the exit code. Throws what the
   * harness throws before the run has begun, and what ended it besides the model.
   */
  async runUnwatched(work: AgentWork): Promise<ExitCode> {
    try {
      const result = await work(this.harness);
      await this.harness.settled();
      if (result === null) return this.#nothing();
      if (result.cause !== null) throw result.cause;
      return exitCodeOfRun(result);
    } catch (error) {
      if (BranchlineError.is(error, "ABORTED")) return 130;
      throw error;
    }
  }

  /** Ends what is under way; what had waited for it and was not taken is told. */
  async abort(): Promise<void> {
    if (this.harness.state === "idle") this.#stop.abort();
    this.printer.talk("aborting; Ctrl-C again leaves at once");
    this.reader.release();
    try {
      const { returned } = await this.harness.abort();
      for (const { content } of returned) {
        const text = typeof content === "string" ? content : JSON.stringify(content);
        this.printer.talk(`not taken: ${safeLine(text)}`);
      }
    } catch (error) {
      this.#call.out.failure(error);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.reader.close();
    await this.harness.close();
  }

  #nothing(): ExitCode {
    const { id, branch, leaf } = this.session;
    const usage = { model: null, requests: 0, usage: NO_TOKENS, cost: 0 };
    const end = { run: null, branch, outcome: "nothing", leaf, text: "", error: null, ...usage };
    if (this.#call.out.json) this.#call.out.object({ event: "result", session: id, ...end });
    else this.printer.talk("nothing was left to do");
    return 0;
  }
}

const NO_TOKENS = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

function exitCodeOfRun({ outcome }: RunResult): ExitCode {
  if (outcome === "aborted") return 130;
  if (outcome === "error") return 5;
  return outcome === "done" || outcome === "stopped" ? 0 : 1;
}

/** The folder for the tools, null for an agent without any. Throws USAGE. */
async function workspaceFolder(
  call: Call,
  session: Session,
  printer: RunPrinter,
): Promise<string | null> {
  if (call.text("tools") === "none") return null;
  const named = call.text("workspace");
  const folder = named === undefined ? session.header.cwd : path.resolve(call.io.cwd, named);
  const isThere = typeof folder === "string" && existsSync(folder);
  if (named !== undefined && !isThere) throw usage(`There is no folder ${folder}.`);
  if (isThere && (named !== undefined || (await isWithin(folder, call.io.cwd)))) return folder;
  const why = isThere
    ? `this session's folder is ${safeLine(folder)}, and you are not there`
    : "the folder of this session is not on this machine";
  printer.talk(`no tools: ${why} (--workspace names one)`);
  return null;
}

/**
 * A session file may name any folder; what tools see of this machine must not grow by it (reliability.md
 * S13). Where the person is, or a folder in it, is no surprise.
 */
async function isWithin(folder: string, cwd: string): Promise<boolean> {
  const [real, here] = await Promise.all([realpath(folder), realpath(cwd)]);
  return real === here || real.startsWith(here.endsWith(path.sep) ? here : here + path.sep);
}

async function filesOf(folder: string | null): Promise<{
  readonly workspace: Workspace | null;
  readonly workingFiles?: WorkingFiles;
}> {
  if (folder === null) return { workspace: null };
  const [{ NodeWorkspace }, { GitWorkingFiles }] = await Promise.all([
    import("../local/node-workspace.ts"),
    import("../local/git-working-files.ts"),
  ]);
  return {
    workspace: new NodeWorkspace({ root: folder }),
    workingFiles: new GitWorkingFiles({ cwd: folder }),
  };
}

/** Tools that may be run again change nothing and run; a person is asked about the others. */
function permissionFor(call: Call, pending: PendingCall, tool: Tool): Permission {
  if (tool.replay === "safe" || call.has("yes")) return { decision: "allow" };
  if (!call.io.canAsk) {
    const reason = "It changes files, and nobody is there to ask: --yes allows it.";
    return { decision: "block", reason };
  }
  return { decision: "confirm", question: `Run ${pending.name}?` };
}

interface Asked {
  readonly call: Call;
  readonly printer: RunPrinter;
  readonly pending: PendingCall;
  readonly question: string;
}

async function confirmed(reader: LineReader, asked: Asked): Promise<Permission> {
  const { call, printer, pending, question } = asked;
  const args = truncate(safeLine(JSON.stringify(pending.arguments)), QUESTION_COLUMNS);
  printer.talk(`${safeLine(pending.name)} ${args}`);
  call.io.stderr.write(`${safeLine(question)} [y/N] `);
  const answer = await reader.answer();
  if (/^(y|yes|j|是|好|可以)$/i.test(answer?.trim() ?? "")) return { decision: "allow" };
  return { decision: "block", reason: "A person said no." };
}
