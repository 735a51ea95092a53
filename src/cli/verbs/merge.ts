import { summariseBranch } from "../../compaction/branch-summary.ts";
import { isRefusal } from "../../compaction/refusal.ts";
import { entryPreview } from "../../session/entry-preview.ts";
import { branchConclusion, type MergeNote, mergeBranch } from "../../session/merge.ts";
import { pickEntries } from "../../session/pick.ts";
import { resolveRevision } from "../../session/revision.ts";
import { resolveRange } from "../../session/revision-range.ts";
import type { Session } from "../../session/session.ts";
import { safeLine } from "../../view/safe-text.ts";
import { Agent, MODEL_OPTIONS } from "../agent.ts";
import { styled } from "../color.ts";
import { compactionRefused } from "../compaction-text.ts";
import { onInterrupt } from "../run-interrupt.ts";
import { usage } from "../usage.ts";
import type { Call, Verb } from "../verb.ts";
import { truncate } from "../width.ts";

/** The end of a branch, without our own state. Throws USAGE for the place before the first entry. */
async function mergedEnd(session: Session, revision: string): Promise<string> {
  const id = await resolveRevision(session, revision);
  if (id !== null) return id;
  throw usage("The place before the first entry is no branch.");
}

/** A summary by the model in force, or without one where it is the offline one. */
async function summaryNote(call: Call, session: Session, from: string): Promise<MergeNote> {
  await using agent = await Agent.open(call, session, { shows: "nothing" });
  await agent.begin();
  const { provider: models, first } = agent.models;
  const { harnessSummariser } = await import("../../harness/standard-agent.ts");
  const controller = new AbortController();
  const stop = onInterrupt(() => controller.abort());
  try {
    const summariser = harnessSummariser({ session, models, model: first });
    const { signal } = controller;
    const made = await summariseBranch(session, { from, to: session.leaf, summariser, signal });
    if (isRefusal(made)) throw compactionRefused(made);
    return { from, text: made.text, details: made.details };
  } finally {
    stop();
  }
}

/** What another branch came to, under the leaf. */
export const mergeVerb: Verb = {
  name: "merge",
  summary: "append what another branch came to at the leaf; nothing is rewritten",
  example: "branchline merge 方案A",
  arguments: [{ name: "rev", about: "the branch, or its end", kind: "revision", required: true }],
  options: [
    { name: "summary", about: "a summary of all of it instead of a copy of its last answer" },
    ...MODEL_OPTIONS,
  ],
  async run(call) {
    const session = await call.sessions.open(call.sessionOption);
    const from = await mergedEnd(session, call.word(0, "REV"));
    const isSummary = call.has("summary");
    const note = isSummary
      ? await summaryNote(call, session, from)
      : await branchConclusion(session, from);
    await using _ = await session.store.lockRun(session.branch);
    const { id } = await mergeBranch(session, note);
    const { text } = note;
    const row = { session: session.id, entry: id, from, summarised: isSummary, text };
    call.out.either({ ...row, leaf: session.leaf }, () => [
      [styled("id", id), `  ${truncate(safeLine(text), Math.max(20, call.out.columns - 24))}`],
    ]);
    return 0;
  },
};

/** Copies of chosen messages, under the leaf. */
export const pickVerb: Verb = {
  name: "pick",
  summary: "append copies of chosen messages at the leaf; calls keep their results",
  example: "branchline pick 方案A~1 方案A",
  arguments: [
    {
      name: "revs",
      about: "the messages; A..B = all that B has beyond A",
      kind: "revision",
      required: true,
      rest: true,
    },
  ],
  options: [],
  async run(call) {
    const session = await call.sessions.open(call.sessionOption);
    const ids: string[] = [];
    for (const revision of call.words) ids.push(...(await pickedIds(session, revision)));
    if (ids.length === 0) throw usage("No message is named.");
    await using _ = await session.store.lockRun(session.branch);
    for (const { entry, from } of await pickEntries(session, ids)) {
      const { id, parentId } = entry;
      const room = Math.max(20, call.out.columns - 24);
      call.out.either({ session: session.id, id, parentId, from }, () => [
        [styled("id", id), `  ${truncate(safeLine(entryPreview(entry)), room)}`],
      ]);
    }
    return 0;
  },
};

/** Of a range only what can be picked; what is named alone has to be a message. */
async function pickedIds(session: Session, revision: string): Promise<readonly string[]> {
  const { kind, left, right } = await resolveRange(session, revision);
  if (kind === "entry") return right;
  const types = new Set(["message", "custom_message", "branch_summary"]);
  return [...left, ...right].filter((id) => {
    const at = session.tree.get(id);
    return at !== undefined && types.has(at.type) && at.role !== "system";
  });
}
