import { entryPreview } from "../../session/entry-preview.ts";
import { resolveRevision } from "../../session/revision.ts";
import type { Session } from "../../session/session.ts";
import type { BranchInfo } from "../../tree/tree-entry.ts";
import { safeLine } from "../../view/safe-text.ts";
import { type Piece, styled } from "../color.ts";
import { counted } from "../counted.ts";
import { branchTitle } from "../tree-text.ts";
import { usage } from "../usage.ts";
import type { Call, Verb } from "../verb.ts";
import { truncate } from "../width.ts";

function row(session: Session, branch: BranchInfo): Readonly<Record<string, unknown>> {
  const { id, kind, name, head, archived, entries } = branch;
  const position = head === null ? null : session.tree.position(head);
  return { id, kind, name, head, position, archived, entries, current: id === session.branch };
}

async function line(call: Call, session: Session, branch: BranchInfo): Promise<readonly Piece[]> {
  const position = branch.head === null ? null : session.tree.position(branch.head);
  const entry = position === null ? undefined : await session.store.get(position);
  const current = branch.id === session.branch;
  const title = safeLine(branchTitle(branch));
  const note =
    branch.kind === "tip" ? "  (tip)" : `  ${counted(branch.entries, "entry", "entries")}`;
  const preview = entry === undefined ? "" : safeLine(entryPreview(entry));
  const room = Math.max(10, call.out.columns - 50);
  return [
    current ? styled("leaf", "* ") : "  ",
    styled(current ? "branch" : "strong", title),
    styled("faint", `${note}${branch.archived ? ", archived" : ""}  `),
    styled("id", position?.slice(0, 12) ?? "root"),
    `  ${truncate(preview, room)}`,
  ];
}

async function list(call: Call, session: Session): Promise<void> {
  for (const branch of session.branches()) {
    if (branch.archived && !call.has("all")) continue;
    if (call.out.json) call.out.object(row(session, branch));
    else call.out.line(...(await line(call, session, branch)));
  }
}

async function change(call: Call, session: Session): Promise<string> {
  const [name, revision] = call.words;
  if (name === undefined) throw usage("The branch is missing.");
  if (call.has("delete")) {
    await session.archiveBranch(name);
    call.out.talk(
      "Put away, not removed: `branch --all` lists it, `branch --restore` brings it back.",
    );
    return name;
  }
  if (call.has("restore")) {
    await session.unarchiveBranch(name);
    return name;
  }
  if (call.has("move")) {
    if (revision === undefined) throw usage("The new name is missing.");
    await session.renameBranch(name, revision);
    return revision;
  }
  const at = await resolveRevision(session, revision ?? "@");
  await session.createBranch(name, at);
  call.out.talk(`Made; \`branchline switch ${safeLine(name)}\` goes there.`);
  return name;
}

/** Branches: list, name, rename, put away. */
export const branchVerb: Verb = {
  name: "branch",
  summary:
    "list branches; with a NAME, start one at REV; -m renames, -d puts away, --restore brings back",
  example: "branchline branch 方案A @~3",
  arguments: [
    { name: "name", about: "the branch", kind: "branch" },
    {
      name: "rev",
      about: "where it starts, default the leaf; with -m the new name",
      kind: "revision",
    },
  ],
  options: [
    { name: "move", short: "m", about: "rename NAME to the second word" },
    { name: "delete", short: "d", about: "put NAME away; nothing is removed" },
    { name: "restore", about: "bring NAME back that was put away" },
    { name: "all", about: "list those put away too" },
  ],
  async run(call) {
    const session = await call.sessions.open(call.sessionOption);
    const changes = ["move", "delete", "restore"].some((option) => call.has(option));
    if (call.words.length === 0 && !changes) {
      await list(call, session);
      return 0;
    }
    const name = await change(call, session);
    const branch = session.tree.branch(name);
    if (branch === undefined) return 0;
    call.out.either(row(session, branch), () => [
      [styled("branch", safeLine(branchTitle(branch)))],
    ]);
    return 0;
  },
};
