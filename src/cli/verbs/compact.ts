import { type CompactOptions, previewCompaction } from "../../compaction/compact.ts";
import { extractiveSummariser } from "../../compaction/extractive-summariser.ts";
import { type KeepRecent, planCompaction } from "../../compaction/plan.ts";
import { isRefusal } from "../../compaction/refusal.ts";
import { Agent, MODEL_OPTIONS } from "../agent.ts";
import {
  compactionRefused,
  doneLine,
  doneRow,
  lossLines,
  planLines,
  planRow,
} from "../compaction-text.ts";
import { onInterrupt } from "../run-interrupt.ts";
import { usage } from "../usage.ts";
import type { Call, Verb } from "../verb.ts";

/** `N` tokens, or with an `m` behind it messages. Throws USAGE. */
function keepOf(call: Call): { readonly keep?: KeepRecent } {
  const text = call.text("keep");
  if (text === undefined) return {};
  const found = /^(\d{1,9})(m?)$/.exec(text);
  if (found === null) throw usage(`${text} is no number of tokens; 6m are six messages.`);
  const count = Number(found[1]);
  return { keep: found[2] === "m" ? { messages: count } : { tokens: count } };
}

async function dryRun(call: Call, agent: Agent): Promise<void> {
  const { first } = agent.models;
  const options: CompactOptions = {
    ...{ reason: "manual", contextWindow: first.contextWindow, ...keepOf(call) },
    model: { provider: first.provider, modelId: first.modelId },
    // A preview costs nothing, so it asks no model, whichever would write the summary.
    summariser: extractiveSummariser(),
  };
  const plan = await planCompaction(agent.session, options);
  if (isRefusal(plan)) throw compactionRefused(plan);
  const made = await previewCompaction(plan, options);
  const loss = isRefusal(made) ? null : made.loss;
  call.out.either(planRow(agent.session.id, plan, loss), () => {
    const lost = loss === null ? [] : [...lossLines(loss, call.out.columns)];
    return [...planLines(plan), ...(call.has("report") ? lost : lost.slice(0, 1))];
  });
}

async function compactNow(call: Call, agent: Agent): Promise<void> {
  const instructions = call.words.join(" ").trim();
  const wish = { ...keepOf(call), ...(instructions === "" ? {} : { instructions }) };
  const done = await agent.harness.compact(wish);
  if (isRefusal(done)) throw compactionRefused(done);
  call.out.either(doneRow(agent.session.id, done), () => [doneLine(done)]);
  if (call.out.json) return;
  if (call.has("report")) {
    for (const line of lossLines(done.loss, call.out.columns)) call.out.line(...line);
  }
  call.out.talk(
    "Nothing is lost: `branchline expand` shows the originals, `uncompact` takes it back.",
  );
}

/** A summary in the place of what is older. */
export const compactVerb: Verb = {
  name: "compact",
  summary: "put a summary in the place of older messages; the originals stay",
  example: "branchline compact --keep 4000 --dry-run",
  arguments: [
    { name: "instructions", about: "what the summary should look at", kind: "text", rest: true },
  ],
  options: [
    { name: "keep", value: "n", about: "tokens at the end that stay; 6m = six messages" },
    { name: "dry-run", about: "say what it would do; write nothing" },
    { name: "report", about: "list what the summary does not say any more" },
    ...MODEL_OPTIONS,
  ],
  async run(call) {
    const session = await call.sessions.open(call.sessionOption);
    await using agent = await Agent.open(call, session, { shows: "nothing" });
    const stop = onInterrupt(() => void agent.abort());
    try {
      if (call.has("dry-run")) await dryRun(call, agent);
      else {
        await agent.begin();
        await compactNow(call, agent);
      }
      return 0;
    } finally {
      stop();
    }
  },
};
