import { entryPreview } from "../../session/entry-preview.ts";
import type { SelectResult } from "../../session/leaf-move.ts";
import { resolveRevision } from "../../session/revision.ts";
import type { Session } from "../../session/session.ts";
import { safeLine } from "../../view/safe-text.ts";
import { type Piece, styled } from "../color.ts";
import { FILES_UNTOUCHED } from "../session-call.ts";
import { branchTitle } from "../tree-text.ts";
import type { Call, Verb } from "../verb.ts";
import { truncate } from "../width.ts";

async function landing(call: Call, session: Session): Promise<readonly Piece[]> {
  const { position } = session;
  if (position === null) return [styled("leaf", "root"), "  before the first entry"];
  const entry = await session.store.mustGet(position);
  const preview = truncate(safeLine(entryPreview(entry)), Math.max(10, call.out.columns - 24));
  return [styled("id", position), `  ${preview}`];
}

/** As Pi does when an entry is picked; the summary of what is left is part of the same commit. */
async function move(
  session: Session,
  revision: string,
  summary: string | undefined,
): Promise<SelectResult> {
  const options = summary === undefined ? {} : { summary: { text: summary } };
  // Several branches may end at one entry: a name means that branch, not the entry.
  if (session.tree.branch(revision) !== undefined) {
    return { ...(await session.moveToBranch(revision, options)), editorText: null };
  }
  const target = await resolveRevision(session, revision);
  if (target === null) return { ...(await session.moveLeaf(null, options)), editorText: null };
  return await session.select(target, options);
}

/** Moves the leaf. */
export const switchVerb: Verb = {
  name: "switch",
  summary: "move the leaf; a user message → its parent, and its text to edit",
  example: "branchline switch 方案A",
  arguments: [{ name: "rev", about: "where to", kind: "revision", required: true }],
  options: [{ name: "summary", value: "text", about: "what the branch that is left was about" }],
  async run(call) {
    const session = await call.sessions.open(call.sessionOption);
    const moved = await move(session, call.word(0, "REV"), call.text("summary"));
    if (call.out.json) {
      call.out.object({ session: session.id, ...moved });
      return 0;
    }
    const branch = session.tree.branch(moved.branch);
    const name = safeLine(branch === undefined ? moved.branch : branchTitle(branch));
    call.out.talk(
      moved.started ? `On the new branch ${name}. ` : `On branch ${name}. `,
      FILES_UNTOUCHED,
    );
    if (moved.editorText === null) call.out.line(...(await landing(call, session)));
    else {
      call.out.talk("The text of that message, to edit and send again:");
      call.out.line(moved.editorText);
    }
    return 0;
  },
};

type Step = "undo" | "redo";

async function step(call: Call, which: Step): Promise<void> {
  const session = await call.sessions.open(call.sessionReference);
  const operation = await session[which]();
  const { leaf, position, branch } = session;
  const json = { session: session.id, operation, leaf, position, branch };
  const done = which === "undo" ? "taken back: " : "done again: ";
  call.out.either(json, () => [[done, safeLine(operation.summary)]]);
  // A label or name that is taken back moves nobody.
  if (call.out.json || operation.kind !== "move") return;
  const where = await landing(call, session);
  call.out.talk("The leaf is now ", ...where);
  call.out.talk(FILES_UNTOUCHED);
}

/** Takes the newest operation back. */
export const undoVerb: Verb = {
  name: "undo",
  summary: "take back the newest move, label, name, edit or compaction",
  example: "branchline undo",
  arguments: [{ name: "session", about: "which session", kind: "session" }],
  options: [],
  async run(call) {
    await step(call, "undo");
    return 0;
  },
};

/** Takes an undo back. */
export const redoVerb: Verb = {
  name: "redo",
  summary: "do again what the newest undo took back",
  example: "branchline redo",
  arguments: [{ name: "session", about: "which session", kind: "session" }],
  options: [],
  async run(call) {
    await step(call, "redo");
    return 0;
  },
};

/** The log of operations. */
export const oplogVerb: Verb = {
  name: "oplog",
  summary: "moves, labels, names, edits and compactions, newest first",
  example: "branchline oplog last",
  arguments: [{ name: "session", about: "which session", kind: "session" }],
  options: [],
  async run(call) {
    const session = await call.sessions.open(call.sessionReference);
    for (const operation of [...(await session.operations())].reverse()) {
      call.out.either(operation, () => [
        [
          styled("id", operation.op.slice(0, 12)),
          styled("faint", `  ${operation.timestamp}  `),
          safeLine(operation.summary),
          styled("warning", operation.undone ? "  (taken back)" : ""),
        ],
      ]);
    }
    return 0;
  },
};
