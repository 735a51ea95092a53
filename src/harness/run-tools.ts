import type { EntryDraft } from "../entry/entry.ts";
import { toolsHere } from "./harness-kit.ts";
import type { RunScope } from "./run-scope.ts";
import { type BatchCall, type BatchResult, ToolBatch } from "./tool-batch.ts";

/** The tools of one run, and the folder that they work on, as it was before and after them. */
export class RunTools {
  readonly #scope: RunScope;
  #hasRun = false;

  constructor(scope: RunScope) {
    this.#scope = scope;
  }

  /** Makes the calls of a message. Throws what a commit throws, after everything that ran has ended. */
  async run(message: string, calls: readonly BatchCall[]): Promise<BatchResult> {
    if (calls.length === 0) return { results: [], terminate: null };
    const { kit, control, log, journal, messages } = this.#scope;
    const { permission: ask, confirm, afterTool: after, clock, abortGraceMs } = kit.options;
    const tools = new Map(toolsHere(kit).map((tool) => [tool.name, tool]));
    const { signal } = control;
    const setup = { tools, hooks: { ask, confirm }, after, clock, graceMs: abortGraceMs, signal };
    const batch = new ToolBatch(
      {
        ...{ setup, log, journal, message },
        isSequential: kit.options.toolExecution === "sequential",
        before: () => this.#filesBefore(),
        tell: (event) => control.tell(event),
        fail: (error) => control.fail(error),
      },
      calls,
    );
    const result = await batch.run();
    for (const one of result.results) messages.push(one);
    return result;
  }

  /** The row about the folder after the last tool; none where no tool ran or nobody looks. */
  async filesAfter(): Promise<readonly EntryDraft[]> {
    const { kit, journal } = this.#scope;
    const { workingFiles } = kit.options;
    if (!this.#hasRun || workingFiles === undefined) return [];
    return [journal.files("after", await workingFiles.look())];
  }

  async #filesBefore(): Promise<readonly EntryDraft[]> {
    const { kit, journal } = this.#scope;
    const { workingFiles } = kit.options;
    if (this.#hasRun) return [];
    this.#hasRun = true;
    return workingFiles === undefined ? [] : [journal.files("before", await workingFiles.look())];
  }
}
