import path from "node:path";
import { BranchlineError } from "../../errors.ts";
import type { PurgeOptions } from "../../store/store.ts";
import { safeLine } from "../../view/safe-text.ts";
import { styled } from "../color.ts";
import { counted } from "../counted.ts";
import { assertReference } from "../locate.ts";
import { ask } from "../stdin-lines.ts";
import { usage } from "../usage.ts";
import type { Call, Verb } from "../verb.ts";

/** Throws a session away, to a trash. */
export const rmVerb: Verb = {
  name: "rm",
  summary: "move a session to the trash; `restore` brings it back",
  example: "branchline rm 01a22905",
  arguments: [{ name: "session", about: "which session", kind: "session", required: true }],
  options: [],
  async run(call) {
    const { id, path: file, store } = await call.sessions.identify(call.word(0, "The session"));
    await store.trashFile(file);
    const linkedBy = await store.linkedTo(id);
    call.out.either({ id, trashed: true, linkedBy }, () => [[styled("id", id)]]);
    if (call.out.json) return 0;
    call.out.talk(`Moved to the trash. \`branchline restore ${id}\` brings it back.`);
    if (linkedBy.length > 0) {
      const who = counted(linkedBy.length, "other session");
      const note = `${who} read from it: that works from the trash, too, but not once it is purged.`;
      call.out.talk(styled("warning", note));
      for (const one of linkedBy) call.out.talk(`  ${safeLine(one)}`);
    }
    return 0;
  },
};

/** Brings a session back from the trash. */
export const restoreVerb: Verb = {
  name: "restore",
  summary: "bring a session back from the trash",
  example: "branchline restore 01a22905",
  arguments: [{ name: "session", about: "its id or a prefix", kind: "session", required: true }],
  options: [{ name: "to", value: "dir", about: "to this folder; default where it came from" }],
  async run(call) {
    const reference = call.word(0, "The session");
    const to = call.text("to");
    const { id, store } = await findTrashed(call, reference);
    await store.restore(id, to === undefined ? {} : { to: path.resolve(call.io.cwd, to) });
    call.out.either({ id, trashed: false }, () => [[styled("id", id)]]);
    return 0;
  },
};

type Store = Call["sessions"]["home"]["store"];

async function trashMatches(call: Call, reference: string): Promise<ReadonlyMap<string, Store>> {
  assertReference(reference);
  const matches = new Map<string, Store>();
  for (const { store } of call.sessions.roots) {
    for (const one of await store.listTrash()) {
      if (one.id.startsWith(reference) && !matches.has(one.id)) matches.set(one.id, store);
    }
  }
  return matches;
}

async function findTrashed(
  call: Call,
  reference: string,
): Promise<{ readonly id: string; readonly store: Store }> {
  const matches = await trashMatches(call, reference);
  const exact = matches.get(reference);
  if (exact !== undefined) return { id: reference, store: exact };
  const [first] = matches;
  if (matches.size === 1 && first !== undefined) return { id: first[0], store: first[1] };
  if (first === undefined) {
    throw new BranchlineError(
      "SESSION_UNKNOWN",
      { reference },
      {
        message: `No session in the trash has the id ${reference}.`,
        hint: "`branchline ls --trash` shows what is in it.",
      },
    );
  }
  throw new BranchlineError(
    "SESSION_AMBIGUOUS",
    { reference, matches: [...matches.keys()] },
    {
      message: `${matches.size} sessions in the trash fit ${reference}.`,
      hint: "Give more of it.",
    },
  );
}

async function confirm(call: Call, what: string): Promise<boolean> {
  if (call.has("yes")) return true;
  if (!call.io.canAsk) {
    throw usage(
      `Nobody is there to say yes to removing ${what} for good.`,
      "Say --yes to remove it without a question.",
    );
  }
  const answer = await ask(call.io, `Remove ${safeLine(what)} for good? Type yes: `);
  return answer.toLowerCase() === "yes";
}

/** What `purge` removes. */
interface PurgeTarget {
  readonly id: string;
  /** Words for the question. */
  readonly what: string;
  readonly purge: (options: PurgeOptions) => Promise<void>;
}

/**
 * An exact id wins. Else trash and list are one: a prefix that fits a session of each is refused. A
 * session in use goes with its copies in the trash; with --trash only what lies there goes.
 */
async function purgeTarget(call: Call, reference: string): Promise<PurgeTarget> {
  const trashed = await trashMatches(call, reference);
  const live = call.has("trash") ? null : await findLive(call, reference);
  const isExact = live?.id === reference;
  if (live === null || (trashed.has(reference) && !isExact)) {
    const { id, store } = await findTrashed(call, reference);
    return {
      id,
      what: `session ${id}, which is in the trash,`,
      purge: (options) => store.purgeTrashed(id, options),
    };
  }
  const { id, path: file, store } = live;
  const others = isExact ? [] : [...trashed.keys()].filter((one) => one !== id);
  if (others.length > 0) {
    throw new BranchlineError(
      "SESSION_AMBIGUOUS",
      { reference, matches: [id, ...others] },
      {
        message: `${reference} fits session ${id} and ${others.length} in the trash.`,
        hint: "Give more of the id; --trash looks in the trash only.",
      },
    );
  }
  const copies = trashed.has(id) ? " and what the trash holds of it" : "";
  return { id, what: `session ${id}${copies}`, purge: (options) => store.purgeFile(file, options) };
}

type LiveSession = Awaited<ReturnType<Call["sessions"]["identify"]>>;

async function findLive(call: Call, reference: string): Promise<LiveSession | null> {
  try {
    return await call.sessions.identify(reference);
  } catch (error) {
    if (BranchlineError.is(error, "SESSION_UNKNOWN")) return null;
    throw error;
  }
}

/** Really removes a session. */
export const purgeVerb: Verb = {
  name: "purge",
  summary: "remove a session for good, with its copies in the trash; asks first",
  example: "branchline purge 01a22905 --yes",
  arguments: [{ name: "session", about: "which session", kind: "session", required: true }],
  options: [
    { name: "yes", short: "y", about: "do not ask" },
    { name: "trash", about: "only what is in the trash; a session in use stays" },
    {
      name: "force",
      about: "also what other sessions are linked to: they lose what they read there",
    },
  ],
  async run(call) {
    const { id, what, purge } = await purgeTarget(call, call.word(0, "The session"));
    if (!(await confirm(call, what))) {
      call.out.talk("Nothing was removed.");
      return 1;
    }
    await purge({ links: call.has("force") ? "break" : "refuse" });
    call.out.either({ id, purged: true }, () => [[styled("id", id)]]);
    return 0;
  },
};
