import { isRefusal } from "../compaction/refusal.ts";
import { BranchlineError } from "../errors.ts";
import type { NavigateOptions } from "../harness/navigation.ts";
import { resolveRevision } from "../session/revision.ts";
import { safeLine } from "../view/safe-text.ts";
import type { Agent, AgentWork } from "./agent.ts";
import { modelTitle } from "./agent-models.ts";
import { type Piece, styled } from "./color.ts";
import { compactionRefused, doneLine, doneRow } from "./compaction-text.ts";
import { answerPlace } from "./prompt-place.ts";
import { FILES_UNTOUCHED } from "./session-call.ts";
import { branchTitle } from "./tree-text.ts";
import { usage } from "./usage.ts";
import { Call, type Verb } from "./verb.ts";

/** What a command of a chat works with. */
export interface ChatCall {
  readonly call: Call;
  readonly agent: Agent;
  /** Begins a run without waiting for its end. */
  readonly begin: (work: AgentWork) => void;
  readonly words: readonly string[];
}

/** A command of a chat. */
export interface ChatCommand {
  readonly form: string;
  readonly about: string;
  run(call: ChatCall): Promise<void>;
}

/** A verb of the command line with its words. */
interface VerbLine {
  readonly verb: Verb;
  readonly words?: readonly string[];
  readonly options?: Readonly<Record<string, unknown>>;
}

/** Runs a verb of the command line on the session of the chat. */
async function runVerb({ call, agent }: ChatCall, line: VerbLine): Promise<void> {
  const { verb, words = [], options = {} } = line;
  const session = agent.session.file ?? agent.session.id;
  const { io, out, sessions } = call;
  await verb.run(new Call({ io, out, sessions, session }, words, options));
}

/** Refuses what must not happen during a run. Throws HARNESS_BUSY. */
function mustBeIdle({ agent }: ChatCall): void {
  const { state } = agent.harness;
  if (state === "idle") return;
  throw new BranchlineError(
    "HARNESS_BUSY",
    { doing: state },
    { message: "The agent is at work.", hint: "Wait for it, or end it with Ctrl-C." },
  );
}

const SUMMARISED: NavigateOptions = { summary: true };

async function switchTo(chatCall: ChatCall): Promise<void> {
  const { agent, call, words } = chatCall;
  mustBeIdle(chatCall);
  const { session, harness } = agent;
  const options: NavigateOptions = words.includes("--summary") ? SUMMARISED : {};
  const [revision] = words.filter((word) => word !== "--summary");
  if (revision === undefined) throw usage("/switch needs a revision.");
  let editorText: string | null = null;
  if (session.tree.branch(revision) !== undefined) await harness.moveToBranch(revision, options);
  else {
    const target = await resolveRevision(session, revision);
    if (target === null) await harness.moveLeaf(null, options);
    else editorText = (await harness.select(target, options)).editorText;
  }
  tellPlace(chatCall);
  if (editorText !== null) {
    call.out.talk("The text of that message, to send again in other words:");
    call.out.line(editorText);
  }
}

/** Where one is now. */
function tellPlace({ agent, call }: ChatCall): void {
  const { session } = agent;
  const { leaf, position, branch } = session;
  if (call.out.json) {
    call.out.object({ event: "place", session: session.id, leaf, position, branch });
    return;
  }
  const info = session.tree.branch(branch);
  const name = safeLine(info === undefined ? branch : branchTitle(info));
  call.out.talk(`On ${name} at `, styled("id", position ?? "root"), `. ${FILES_UNTOUCHED}`);
}

async function compact({ agent, call, words }: ChatCall): Promise<void> {
  const instructions = words.join(" ").trim();
  const done = await agent.harness.compact(instructions === "" ? {} : { instructions });
  if (isRefusal(done)) throw compactionRefused(done);
  call.out.either(doneRow(agent.session.id, done), () => [doneLine(done)]);
}

async function model({ agent, call, words }: ChatCall): Promise<void> {
  const [name] = words;
  const { models, harness } = agent;
  if (name !== undefined) {
    const { provider, modelId } = await models.named(name);
    await harness.setModel({ provider, modelId });
    call.out.talk(styled("faint", `model ${safeLine(name)} from the next request on`));
    return;
  }
  const ref = harness.settings.model;
  const now = ref === null ? models.first : await models.provider.find(ref);
  const title = safeLine(modelTitle(now ?? models.first));
  call.out.either({ event: "model", model: title }, () => [[title]]);
}

const COMMANDS: Readonly<Record<string, ChatCommand>> = {
  tree: {
    form: "/tree",
    about: "where the conversation went",
    async run(call) {
      const { treeVerb: verb } = await import("./verbs/tree.ts");
      await runVerb(call, { verb });
    },
  },
  switch: {
    form: "/switch REV [--summary]",
    about: "go on from another entry; a message of yours comes back to be changed",
    run: switchTo,
  },
  fork: {
    form: "/fork [REV]",
    about: "a new session with the path to REV",
    async run(call) {
      const { forkVerb: verb } = await import("./verbs/fork.ts");
      await runVerb(call, { verb, words: [call.words[0] ?? "@"] });
    },
  },
  clone: {
    form: "/clone",
    about: "a new session with this path",
    async run(call) {
      const { cloneVerb: verb } = await import("./verbs/fork.ts");
      await runVerb(call, { verb });
    },
  },
  compact: {
    form: "/compact [TEXT]",
    about: "a summary in the place of what is older; TEXT says what counts",
    run: compact,
  },
  context: {
    form: "/context",
    about: "what the model sees",
    async run(call) {
      const { contextVerb: verb } = await import("./verbs/context.ts");
      await runVerb(call, { verb, options: { short: true } });
    },
  },
  queue: {
    form: "/queue [edit ID TEXT | remove ID]",
    about: "what waits for the agent",
    async run(call) {
      const { queueVerb: verb } = await import("./verbs/queue.ts");
      await runVerb(call, { verb, words: call.words });
      await call.agent.harness.queues.refresh();
    },
  },
  later: {
    form: "/later TEXT",
    about: "a run of its own after this one",
    async run({ agent, words }) {
      await agent.harness.nextTurn(words.join(" "));
    },
  },
  model: { form: "/model [provider/id]", about: "which model answers, or another one", run: model },
  retry: {
    form: "/retry [REV]",
    about: "another answer beside the last one",
    async run(call) {
      mustBeIdle(call);
      const { session, harness } = call.agent;
      const at = await answerPlace(session, call.words[0] ?? "@");
      if (at !== session.position) await harness.moveLeaf(at);
      call.begin(() => harness.proceed());
    },
  },
  undo: {
    form: "/undo",
    about: "take back the newest move, label, name, edit or compaction",
    async run(call) {
      mustBeIdle(call);
      const operation = await call.agent.session.undo();
      call.call.out.talk("taken back: ", safeLine(operation.summary));
      tellPlace(call);
    },
  },
};

/** The commands by name, without /help and /quit. */
export const CHAT_COMMANDS: ReadonlyMap<string, ChatCommand> = new Map(Object.entries(COMMANDS));

/** The lines of /help. */
export function* chatHelp(): Iterable<readonly Piece[]> {
  const others = [
    { form: "/help", about: "this list" },
    { form: "/quit", about: "leave; Ctrl-D does it too" },
  ];
  for (const { form, about } of [...CHAT_COMMANDS.values(), ...others]) {
    yield [styled("strong", form.padEnd(36)), styled("faint", about)];
  }
}
