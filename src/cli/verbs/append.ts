import type { Entry, EntryDraft } from "../../entry/entry.ts";
import { isObject } from "../../entry/entry-check.ts";
import { BranchlineError } from "../../errors.ts";
import { resolveRevision } from "../../session/revision.ts";
import type { Session } from "../../session/session.ts";
import { styled } from "../color.ts";
import { type InputLine, stdinLines } from "../stdin-lines.ts";
import { usage } from "../usage.ts";
import type { Call, Verb } from "../verb.ts";

/** Commits under way at one time; those that wait together share one write and one sync. */
const WINDOW = 64;

/** Members that the engine gives. */
const GIVEN = ["id", "parentId", "timestamp"];

function isDraft(value: Readonly<Record<string, unknown>>): value is EntryDraft {
  return typeof value.type === "string" && value.type !== "";
}

/** One line as a draft. Throws ENTRY_INVALID, naming the line. */
function parseDraft(line: InputLine): EntryDraft {
  let value: unknown;
  try {
    value = JSON.parse(line.text);
  } catch (cause) {
    throw invalid(line, "it is no JSON", cause);
  }
  if (!isObject(value)) throw invalid(line, "it is no JSON object");
  const given = GIVEN.find((name) => Object.hasOwn(value, name));
  if (given !== undefined) throw invalid(line, `${given} is given by the session, leave it out`);
  if (!isDraft(value)) throw invalid(line, "it has no type");
  return value;
}

function invalid(line: InputLine, reason: string, cause?: unknown): BranchlineError {
  return new BranchlineError(
    "ENTRY_INVALID",
    { reason },
    {
      message: `Line ${line.number} of standard input is no entry: ${reason}.`,
      hint: "One JSON object a line, without id, parentId and timestamp. Earlier lines were appended.",
      place: { file: "standard input", line: line.number },
      cause,
    },
  );
}

/** The refusal of an entry, with the line that it stood on. */
function atLine(line: InputLine, error: unknown): unknown {
  if (!BranchlineError.is(error, "ENTRY_INVALID")) return error;
  return invalid(line, error.fields.reason, error);
}

interface AppendPlan {
  readonly call: Call;
  readonly session: Session;
  readonly branch: string;
  readonly key: string | undefined;
  /** undefined = whatever the leaf is. */
  readonly expected: string | null | undefined;
}

/** Keeps commits flowing while results come out in order, each as soon as it is durable. */
class AppendFlow {
  readonly #plan: AppendPlan;
  /** Print jobs under way, oldest first. */
  readonly #jobs: Promise<void>[] = [];
  #last: Promise<void> = Promise.resolve();
  #expected: string | null | undefined;
  readonly #stopped = Promise.withResolvers<"stopped">();
  failure: { readonly error: unknown } | null = null;

  constructor(plan: AppendPlan) {
    this.#plan = plan;
    this.#expected = plan.expected;
  }

  async run(lines: AsyncIterator<InputLine>): Promise<void> {
    try {
      while (this.failure === null) {
        // A commit may fail while the writer of the pipe is silent: do not wait for its next line.
        const next = await Promise.race([lines.next(), this.#stopped.promise]);
        if (next === "stopped" || next.done === true) break;
        if (next.value.text.trim() !== "") await this.#take(next.value);
      }
    } catch (error) {
      this.#fail(error);
    }
    await this.#last;
  }

  async #take(line: InputLine): Promise<void> {
    const committed = this.#commit(line, parseDraft(line));
    const before = this.#last;
    this.#last = this.#print(line, before, committed);
    this.#jobs.push(this.#last);
    if (this.#plan.expected !== undefined) await this.#last;
    else if (this.#jobs.length >= WINDOW) await this.#jobs.shift();
  }

  async #commit(line: InputLine, draft: EntryDraft): Promise<readonly Entry[]> {
    const { session, branch, key } = this.#plan;
    const { entries } = await session.store.commit({
      entries: [draft],
      branch,
      ...(this.#expected === undefined ? {} : { expectedLeaf: this.#expected }),
      ...(key === undefined ? {} : { key: `${key}:${line.number}` }),
    });
    return entries;
  }

  async #print(
    line: InputLine,
    before: Promise<void>,
    committed: Promise<readonly Entry[]>,
  ): Promise<void> {
    const settled = committed.then(
      (entries) => ({ entries }),
      (error: unknown) => ({ error: atLine(line, error) }),
    );
    await before;
    const result = await settled;
    if ("error" in result) {
      this.#fail(result.error);
      return;
    }
    const { out } = this.#plan.call;
    for (const { id, parentId } of result.entries) {
      if (this.#expected !== undefined) this.#expected = id;
      out.either({ id, parentId }, () => [
        [styled("id", id), styled("faint", `  under ${parentId ?? "root"}`)],
      ]);
    }
  }

  #fail(error: unknown): void {
    this.failure ??= { error };
    this.#stopped.resolve("stopped");
  }
}

async function planOf(call: Call): Promise<AppendPlan> {
  const session = await call.sessions.open(call.sessionReference);
  const named = call.text("branch");
  const branch = named === undefined ? session.branch : session.tree.branch(named)?.id;
  if (branch === undefined) {
    throw new BranchlineError(
      "BRANCH_UNKNOWN",
      { branch: named ?? "" },
      { message: `No branch is called ${named}.`, hint: "`branchline branch` lists them." },
    );
  }
  const leaf = call.text("expect-leaf");
  const expected = leaf === undefined ? undefined : await expectedLeaf(session, leaf);
  return { call, session, branch, key: call.text("key"), expected };
}

/** An id that is not known may be one that somebody else just wrote: the commit decides then. */
async function expectedLeaf(session: Session, text: string): Promise<string | null> {
  if (text === "") throw usage("--expect-leaf needs an id, or root.");
  if (session.tree.has(text)) return text;
  try {
    return await resolveRevision(session, text);
  } catch (error) {
    if (BranchlineError.is(error, "ENTRY_UNKNOWN")) return text;
    throw error;
  }
}

/** Appends entries from standard input. */
export const appendVerb: Verb = {
  name: "append",
  summary: "append entries from standard input, one JSON object a line",
  example: `echo '{"type":"message","message":{"role":"user","content":"你好"}}' | branchline append last`,
  arguments: [{ name: "session", about: "which session", kind: "session" }],
  options: [
    { name: "expect-leaf", value: "id", about: "refuse (exit 4) when the leaf is another one" },
    { name: "branch", value: "name", about: "under the head of this branch" },
    { name: "key", value: "key", about: "idempotency key: line N has the key KEY:N" },
  ],
  async run(call) {
    const plan = await planOf(call);
    const flow = new AppendFlow(plan);
    await flow.run(stdinLines(call.io));
    if (flow.failure === null) return 0;
    call.io.closeStdin();
    throw flow.failure.error;
  },
};
