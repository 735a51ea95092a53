import { expandCompaction } from "../../compaction/originals.ts";
import type { Entry } from "../../entry/entry.ts";
import { isEntry } from "../../entry/entry-check.ts";
import { BranchlineError } from "../../errors.ts";
import { resolveRevision } from "../../session/revision.ts";
import type { Session } from "../../session/session.ts";
import { activeCompaction } from "../../tree/fold.ts";
import { styled } from "../color.ts";
import { entryLines } from "../entry-lines.ts";
import type { Call, Verb } from "../verb.ts";

async function compactionAt(
  call: Call,
  session: Session,
): Promise<Extract<Entry, { type: "compaction" }>> {
  const revision = call.words[0];
  const at = await resolveRevision(session, revision ?? "@");
  const fold = at === null ? undefined : session.tree.get(at)?.fold;
  const id = revision === undefined && fold ? (activeCompaction(fold)?.id ?? null) : at;
  const entry = id === null ? undefined : await session.store.get(id);
  if (entry !== undefined && isEntry(entry, "compaction")) return entry;
  throw new BranchlineError(
    "TARGET_INVALID",
    { target: revision ?? "@", reason: "no compaction" },
    {
      message:
        revision === undefined ? "No compaction is in force here." : "That is no compaction.",
      hint: "`branchline tree` shows the compactions of the session.",
    },
  );
}

/** The originals behind a summary. */
export const expandVerb: Verb = {
  name: "expand",
  summary: "the original entries that a compaction's summary stands for",
  example: "branchline expand -s last",
  arguments: [{ name: "rev", about: "the compaction; default the one in force", kind: "revision" }],
  options: [],
  async run(call) {
    const session = await call.sessions.open(call.sessionOption);
    const compaction = await compactionAt(call, session);
    for await (const entry of expandCompaction(session, compaction.id)) {
      call.out.either({ compaction: compaction.id, entry }, () => entryLines(entry));
    }
    return 0;
  },
};

/** Lets the model see the originals again. */
export const uncompactVerb: Verb = {
  name: "uncompact",
  summary: "let the model see the originals again; later turns stay",
  example: "branchline uncompact -s last",
  arguments: [{ name: "rev", about: "the compaction; default the one in force", kind: "revision" }],
  options: [],
  async run(call) {
    const session = await call.sessions.open(call.sessionOption);
    const compaction = await compactionAt(call, session);
    await session.uncompact(compaction.id);
    const row = { session: session.id, compaction: compaction.id, leaf: session.leaf };
    call.out.either(row, () => [[styled("id", compaction.id), "  no longer in force"]]);
    return 0;
  },
};
