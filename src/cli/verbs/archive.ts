import { BranchlineError } from "../../errors.ts";
import {
  ARCHIVE_AGE_MS,
  type ArchiveExemption,
  chooseForArchive,
  isArchived,
} from "../../store/archive-choice.ts";
import type { SessionSummary } from "../../store/store.ts";
import { safeLine } from "../../view/safe-text.ts";
import { parseSince } from "../age.ts";
import { byteSize } from "../byte-size.ts";
import { styled } from "../color.ts";
import type { Call, Verb } from "../verb.ts";

/** A session that is named is archived unless it was used within this time, in ms: it may be in use. */
const IN_USE_MS = 10 * 60_000;

type Exemption = ArchiveExemption | "open";

interface Row {
  readonly id: string;
  readonly path: string;
  readonly exempt: Exemption | null;
  readonly bytesBefore: number;
  readonly bytesAfter: number;
}

const REASONS: Readonly<Record<Exemption, string>> = {
  "age-unknown": "its age cannot be told",
  archived: "it is archived already",
  named: "it has a name (--named takes it, too)",
  newest: "it is the newest of its folder",
  open: "it is open elsewhere",
  recent: "it was used lately (--older-than)",
};

/** How long ago a session must have been used, in ms. */
function olderThan(call: Call, fallback: number): number {
  const text = call.text("older-than");
  if (text === undefined) return fallback;
  const now = Date.now();
  return now - Date.parse(parseSince(text, now));
}

async function chosen(
  call: Call,
): Promise<readonly { readonly session: SessionSummary; readonly exempt: Exemption | null }[]> {
  const now = Date.now();
  if (call.words.length === 0) {
    const sessions: SessionSummary[] = [];
    for await (const row of call.sessions.home.store.list()) sessions.push(row);
    const named = call.has("named") ? "take" : "keep";
    const rule = { now, olderThanMs: olderThan(call, ARCHIVE_AGE_MS), named } as const;
    return chooseForArchive(sessions, rule).filter(({ exempt }) => exempt !== "archived");
  }
  const olderThanMs = olderThan(call, IN_USE_MS);
  const choices: { session: SessionSummary; exempt: Exemption | null }[] = [];
  for (const word of call.words) {
    const { path, store } = await call.sessions.find(word);
    await using file = await store.openFile(path);
    const session = await file.summary();
    const isRecent = now - Date.parse(session.modified) < olderThanMs;
    const isOld = isArchived(session) ? "archived" : null;
    choices.push({ session, exempt: isOld ?? (isRecent ? "recent" : null) });
  }
  return choices;
}

async function packed(call: Call, session: SessionSummary, exempt: Exemption | null): Promise<Row> {
  const { id, bytes } = session;
  const path = session.path ?? "";
  const left = { id, path, bytesBefore: bytes, bytesAfter: bytes };
  if (exempt !== null) return { ...left, exempt };
  const { store } = call.sessions.home;
  if (!call.has("apply")) return { ...left, ...(await store.upkeep.estimateArchive(path)), exempt };
  try {
    const done = await store.upkeep.archive(path);
    return {
      id,
      path: done.path,
      exempt,
      bytesBefore: done.bytesBefore,
      bytesAfter: done.bytesAfter,
    };
  } catch (error) {
    if (!BranchlineError.is(error, "STORE_BUSY")) throw error;
    return { ...left, exempt: "open" };
  }
}

/** Packs cold sessions; without --apply only says what it would do. */
export const archiveVerb: Verb = {
  name: "archive",
  summary: "pack sessions that are not used any more; --apply does it, `unarchive` takes it back",
  example: "branchline archive --older-than 90d",
  arguments: [
    {
      name: "session",
      about: "these; default: all cold ones of our root",
      kind: "session",
      rest: true,
    },
  ],
  options: [
    { name: "older-than", value: "time", about: "not used since, for example 30d (the default)" },
    { name: "named", about: "also sessions that have a name" },
    { name: "apply", about: "do it; without it, only the plan is shown" },
  ],
  async run(call) {
    const applied = call.has("apply");
    const total = { sessions: 0, bytesBefore: 0, bytesAfter: 0, saved: 0 };
    const isNamedHere = call.words.length > 0;
    let refused = 0;
    for (const { session, exempt } of await chosen(call)) {
      const row = await packed(call, session, exempt);
      const saved = row.bytesBefore - row.bytesAfter;
      if (call.out.json)
        call.out.object({ ...row, saved, applied: applied && row.exempt === null });
      if (row.exempt !== null) {
        refused++;
        const why = `${row.id} stays: ${REASONS[row.exempt]}`;
        if (!call.out.json && isNamedHere) call.out.talk(why);
        continue;
      }
      total.sessions++;
      total.bytesBefore += row.bytesBefore;
      total.bytesAfter += row.bytesAfter;
      total.saved += saved;
      if (call.out.json) continue;
      const size = `  ${byteSize(row.bytesBefore)} → ${byteSize(row.bytesAfter)}  `;
      call.out.line(styled("id", row.id), size, safeLine(session.title ?? ""));
    }
    if (call.out.json) call.out.object({ total, applied });
    else {
      const what = applied ? "archived" : "would be archived (--apply does it)";
      call.out.talk(`${total.sessions} sessions ${what}, ${byteSize(total.saved)} saved.`);
      if (refused > 0 && !isNamedHere) call.out.talk(`${refused} sessions stay.`);
    }
    return isNamedHere && refused > 0 ? 1 : 0;
  },
};

/** Brings archived sessions back. */
export const unarchiveVerb: Verb = {
  name: "unarchive",
  summary: "bring archived sessions back as they were, byte for byte",
  example: "branchline unarchive 01a22905",
  arguments: [
    { name: "session", about: "which sessions", kind: "session", required: true, rest: true },
  ],
  options: [],
  async run(call) {
    for (const word of call.words) {
      const { id, path, store } = await call.sessions.identify(word);
      const { path: back, bytesBefore, bytesAfter } = await store.upkeep.unarchive(path);
      const row = { id, from: path, path: back, bytesBefore, bytesAfter };
      call.out.either(row, () => [[styled("id", id), `  ${byteSize(bytesAfter)}`]]);
    }
    return 0;
  },
};
