import type { Harness } from "../../harness/harness.ts";
import { resolveRevision } from "../../session/revision.ts";
import type { Session } from "../../session/session.ts";
import { AGENT_OPTIONS, Agent } from "../agent.ts";
import { agentSession } from "../agent-session.ts";
import type { ExitCode } from "../exit-code.ts";
import { stdinText } from "../line-reader.ts";
import { answerPlace } from "../prompt-place.ts";
import { usage } from "../usage.ts";
import type { Call, Verb } from "../verb.ts";

/** The words of the call, else standard input where it is no terminal. Throws USAGE for nothing. */
async function promptText(call: Call): Promise<string> {
  const words = call.words.join(" ").trim();
  if (words !== "" || call.io.canAsk) return orUsage(words);
  return orUsage(await stdinText(call.io));
}

function orUsage(text: string): string {
  if (text === "") throw usage("There is nothing to ask.");
  return text;
}

/** Moves there first, so that model and context are those of that place. */
async function goTo(harness: Harness, session: Session, at: string | null): Promise<void> {
  if (at !== session.position) await harness.moveLeaf(at);
}

/** A prompt, from the leaf or any other point. */
export const askVerb: Verb = {
  name: "ask",
  summary: "ask the agent; the answer streams, tools are shown, Ctrl-C aborts",
  example: 'branchline ask "列出文件" --offline',
  arguments: [
    { name: "text", about: "what to ask; default standard input", kind: "text", rest: true },
  ],
  options: [
    { name: "at", value: "rev", about: "under this entry instead of the leaf: a branch" },
    { name: "new", about: "in a new session; made by itself where this folder has none" },
    ...AGENT_OPTIONS,
  ],
  async run(call) {
    const text = await promptText(call);
    const session = await agentSession(call);
    const revision = call.text("at");
    const at = revision === undefined ? session.position : await resolveRevision(session, revision);
    await using agent = await Agent.open(call, session, { at });
    return await agent.run(async (harness) => {
      await goTo(harness, session, at);
      await agent.begin();
      return await harness.prompt(text);
    });
  },
};

/** Another answer beside one. */
export const retryVerb: Verb = {
  name: "retry",
  summary: "another answer beside REV; under it where it is no answer",
  example: "branchline retry @ --offline",
  arguments: [{ name: "rev", about: "the answer; default the last one", kind: "revision" }],
  options: AGENT_OPTIONS,
  async run(call) {
    const session = await call.sessions.open(call.sessionOption);
    const at = await answerPlace(session, call.words[0] ?? "@");
    await using agent = await Agent.open(call, session, { at });
    return await agent.run(async (harness) => {
      await goTo(harness, session, at);
      await agent.begin();
      return await harness.proceed();
    });
  },
};

/** Goes on after a crash. */
export const resumeVerb: Verb = {
  name: "resume",
  summary: "go on with a run that was cut off, and with what waits in the queues",
  example: "branchline resume last",
  arguments: [{ name: "session", about: "which session", kind: "session" }],
  options: AGENT_OPTIONS,
  async run(call): Promise<ExitCode> {
    const session = await call.sessions.open(call.sessionReference);
    await using agent = await Agent.open(call, session);
    return await agent.run(async (harness) => {
      await agent.begin();
      return await harness.resume();
    });
  },
};
