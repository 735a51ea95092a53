import type { Entry } from "../../entry/entry.ts";
import { resolveRevision } from "../../session/revision.ts";
import type { Session } from "../../session/session.ts";
import { isOwn } from "../../tree/session-tree.ts";
import { markdownEntry, markdownHeading } from "../markdown-export.ts";
import { usage } from "../usage.ts";
import type { Call, Verb } from "../verb.ts";

/** Entries are read in pages of this many. */
const PAGE = 500;

async function* pathEntries(session: Session, at: string | null): AsyncIterable<Entry> {
  const path = session.tree.path(at).filter((one) => !isOwn(one) && !one.isMove);
  for (let from = 0; from < path.length; from += PAGE) {
    yield* await session.store.getAll(path.slice(from, from + PAGE).map((one) => one.id));
  }
}

/** The path as a session file that Pi opens: own state left out, what hung under it hung higher. */
async function exportJsonl(call: Call, session: Session, at: string | null): Promise<void> {
  const { branchline: _format, crc: _crc, ...header } = session.header;
  call.out.object({ ...header, version: 3 });
  let parentId: string | null = null;
  const exported = new Set<string>();
  for await (const entry of pathEntries(session, at)) {
    call.out.object({ ...entry, parentId });
    parentId = entry.id;
    exported.add(entry.id);
  }
  for (const row of session.tree.labels().values()) {
    // Labels count session-wide; those that were given elsewhere than on this path come along.
    if (!exported.has(row.targetId) || exported.has(row.entryId)) continue;
    const { entryId: id, targetId, label, timestamp } = row;
    call.out.object({ type: "label", id, parentId, timestamp, targetId, label });
    parentId = id;
  }
}

async function exportMarkdown(call: Call, session: Session, at: string | null): Promise<void> {
  const { header, tree } = session;
  const about = {
    title: tree.name() ?? `Session ${session.id}`,
    session: session.id,
    cwd: header.cwd,
    created: header.timestamp,
    entries: tree.path(at).filter((one) => !isOwn(one)).length,
  };
  call.out.line(markdownHeading(about));
  for await (const entry of pathEntries(session, at)) call.out.line(markdownEntry(entry));
}

/** Writes a path out, for other programs or people. */
export const exportVerb: Verb = {
  name: "export",
  summary: "write the path to the leaf as a Pi session file or as Markdown",
  example: "branchline export last --to md > talk.md",
  arguments: [{ name: "session", about: "which session", kind: "session" }],
  options: [
    { name: "to", value: "format", choices: ["jsonl", "md"], about: "jsonl or md" },
    { name: "at", value: "rev", about: "the path to this entry instead" },
  ],
  async run(call) {
    const format = call.text("to");
    if (format === undefined) throw usage("The format is missing.", "Say --to jsonl or --to md.");
    const session = await call.sessions.open(call.sessionReference);
    const at = await resolveRevision(session, call.text("at") ?? "@");
    if (format === "jsonl") await exportJsonl(call, session, at);
    else await exportMarkdown(call, session, at);
    return 0;
  },
};
