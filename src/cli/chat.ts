import { BranchlineError } from "../errors.ts";
import type { Agent, AgentWork } from "./agent.ts";
import { CHAT_COMMANDS, type ChatCommand, chatHelp } from "./chat-commands.ts";
import type { ExitCode } from "./exit-code.ts";
import { onInterrupt } from "./run-interrupt.ts";
import { usage } from "./usage.ts";
import type { Call } from "./verb.ts";

/**
 * The line mode. On a terminal, what is typed while the agent works steers it; from a pipe, each line
 * waits for what the one before it began, so that a script means the same at any speed.
 */
export class Chat {
  readonly #call: Call;
  readonly #agent: Agent;
  #isLeaving = false;
  /** Runs that were begun and are not over. */
  #running: Promise<void> = Promise.resolve();
  #last: ExitCode = 0;

  constructor(call: Call, agent: Agent) {
    this.#call = call;
    this.#agent = agent;
  }

  /** Talks until /quit, the end of the input, or Ctrl-C where nothing runs. Gives the exit code. */
  async run(): Promise<ExitCode> {
    const { reader, harness } = this.#agent;
    const { canAsk } = this.#call.io;
    if (canAsk) this.#agent.printer.talk("/help lists the commands, /quit or Ctrl-D leaves");
    const left = Promise.withResolvers<null>();
    const stop = onInterrupt(() => {
      if (harness.state === "idle") left.resolve(null);
      else void this.#agent.abort().finally(() => this.#prompt());
    });
    try {
      while (!this.#isLeaving) {
        this.#prompt();
        const line = await Promise.race([reader.next(), left.promise]);
        if (line === null) break;
        await this.#take(line.trim());
        if (!canAsk) await this.#settled();
      }
      await this.#settled();
      return this.#last;
    } finally {
      stop();
    }
  }

  /** Leaves after this command; what runs is aborted. */
  async #leave(): Promise<void> {
    this.#isLeaving = true;
    if (this.#agent.harness.state !== "idle") await this.#agent.abort();
  }

  async #take(line: string): Promise<void> {
    if (line === "") return;
    try {
      this.#agent.printer.freshLine();
      if (line.startsWith("/")) await this.#command(line);
      else await this.#say(line);
    } catch (error) {
      this.#call.out.failure(error);
    }
  }

  async #say(text: string): Promise<void> {
    const { harness } = this.#agent;
    if (harness.state !== "idle") {
      try {
        await harness.steer(text);
        return;
      } catch (error) {
        // The run has ended in the meantime: then it is the next prompt.
        if (!BranchlineError.is(error, "HARNESS_IDLE")) throw error;
      }
    }
    this.#begin(() => harness.prompt(text));
  }

  /** Resolves when nothing is under way, whoever began it. */
  async #settled(): Promise<void> {
    await this.#running;
    await this.#agent.harness.settled();
  }

  /** Begins a run without waiting for its end. */
  #begin(work: AgentWork): void {
    this.#running = this.#run(work);
  }

  async #run(work: AgentWork): Promise<void> {
    try {
      this.#last = await this.#agent.runUnwatched(work);
    } catch (error) {
      this.#call.out.failure(error);
    }
    this.#prompt();
  }

  async #command(line: string): Promise<void> {
    const [name = "", ...words] = line.slice(1).split(/\s+/);
    if (name === "help") return this.#help();
    if (name === "quit" || name === "exit") return await this.#leave();
    const command: ChatCommand | undefined = CHAT_COMMANDS.get(name);
    if (command === undefined) throw usage(`There is no command /${name}.`, "/help lists them.");
    const begin = (work: AgentWork): void => this.#begin(work);
    await command.run({ call: this.#call, agent: this.#agent, begin, words });
  }

  #help(): void {
    for (const line of chatHelp()) this.#call.out.talk(...line);
  }

  #prompt(): void {
    const { io, out } = this.#call;
    const isIdle = this.#agent.harness.state === "idle";
    if (io.canAsk && isIdle && !this.#isLeaving && !out.json) io.stderr.write("› ");
  }
}
