import { BranchlineError } from "../../errors.ts";
import { isArchived } from "../../store/archive-choice.ts";
import type { GcMode, MovedPayloads, MoveRule } from "../../store/jsonl/move-payloads.ts";
import { byteSize, parseByteSize } from "../byte-size.ts";
import { styled } from "../color.ts";
import { usage } from "../usage.ts";
import type { Call, Verb } from "../verb.ts";

/** Lines from this size on are moved, in bytes. */
const MIN_BYTES = 64 * 1024;
/** With --left-branches: lines of branches that were left, in bytes. */
const LEFT_MIN_BYTES = 2 * 1024;
/** A session that was used within this time may be in use, in ms; only one that is named is touched. */
const IN_USE_MS = 10 * 60_000;

function ruleOf(call: Call): MoveRule {
  const text = call.text("min-bytes");
  const minBytes = text === undefined ? MIN_BYTES : parseByteSize(text);
  if (minBytes === null) throw usage(`${text} is no size.`, "Use 65536, 64KiB or 1MB.");
  return { minBytes, leftMinBytes: call.has("left-branches") ? LEFT_MIN_BYTES : null };
}

interface Target {
  readonly id: string;
  readonly path: string;
}

/** The named sessions, else all of our own root that are not in use and not archived. */
async function* targets(call: Call): AsyncGenerator<Target> {
  for (const word of call.words) {
    const { id, path } = await call.sessions.identify(word);
    yield { id, path };
  }
  if (call.words.length > 0) return;
  for await (const session of call.sessions.home.store.list()) {
    const { id, path, modified } = session;
    const isInUse = !(Date.now() - Date.parse(modified) >= IN_USE_MS);
    if (path !== null && !isArchived(session) && !isInUse) yield { id, path };
  }
}

type Work = (target: Target) => Promise<MovedPayloads>;

/** One session; null where it is open elsewhere. */
async function tried(work: Work, target: Target): Promise<MovedPayloads | null> {
  try {
    return await work(target);
  } catch (error) {
    if (BranchlineError.is(error, "STORE_BUSY")) return null;
    throw error;
  }
}

async function forAll(call: Call, work: Work, mode: GcMode): Promise<void> {
  const total = { sessions: 0, lines: 0, missing: 0, bytesBefore: 0, bytesAfter: 0, saved: 0 };
  for await (const target of targets(call)) {
    const done = await tried(work, target);
    if (done === null) {
      call.out.talk(`${target.id} stays: it is open elsewhere.`);
      continue;
    }
    if (done.lines === 0 && done.missing === 0) continue;
    const saved = done.bytesBefore - done.bytesAfter - done.blobBytes;
    total.sessions++;
    total.lines += done.lines;
    total.missing += done.missing;
    total.bytesBefore += done.bytesBefore;
    total.bytesAfter += done.bytesAfter;
    total.saved += saved;
    const sizes = `${byteSize(done.bytesBefore)} → ${byteSize(done.bytesAfter)}`;
    const row = { id: target.id, ...done, saved, applied: mode === "apply" };
    call.out.either(row, () => [[styled("id", row.id), `  ${done.lines} payloads  ${sizes}`]]);
  }
  if (call.out.json) return call.out.object({ total, applied: mode === "apply" });
  const what = mode === "apply" ? "" : " This is the plan; --apply does it.";
  call.out.talk(
    `${total.lines} payloads in ${total.sessions} sessions, ${byteSize(total.saved)} saved.${what}`,
  );
  if (total.missing > 0) call.out.talk(`${total.missing} payloads cannot be read.`);
}

async function prune(call: Call, mode: GcMode): Promise<void> {
  const roots = call.sessions.roots.map(({ directory }) => directory);
  const pruned = await call.sessions.home.store.upkeep.pruneBlobs(roots, mode);
  const what = mode === "apply" ? "were removed" : "would be removed (--apply does it)";
  call.out.either({ ...pruned, applied: mode === "apply" }, () => [
    [`${pruned.pruned} of ${pruned.blobs} blobs ${what}, ${byteSize(pruned.bytes)}.`],
  ]);
}

/** Moves large payloads out of session files and back; without --apply only says what it would do. */
export const gcVerb: Verb = {
  name: "gc",
  summary: "move large payloads out of sessions and back; --apply does it",
  example: "branchline gc --blobs --min-bytes 1MB",
  arguments: [
    {
      name: "session",
      about: "these; default: all of our root that are not in use",
      kind: "session",
      rest: true,
    },
  ],
  options: [
    { name: "blobs", about: "move images and long results to blobs, and leave stubs" },
    { name: "min-bytes", value: "size", about: "lines from this size on; default 64KiB" },
    { name: "left-branches", about: "also what lies on branches that were left, from 2KiB on" },
    { name: "restore", about: "put all payloads back, byte for byte" },
    { name: "prune", about: "remove blobs that no session names any more" },
    { name: "apply", about: "do it; without it, only the plan is shown" },
  ],
  async run(call) {
    const chosen = ["blobs", "restore", "prune"].filter((name) => call.has(name));
    if (chosen.length !== 1) throw usage("Say one of --blobs, --restore and --prune.");
    const mode: GcMode = call.has("apply") ? "apply" : "plan";
    const { store } = call.sessions.home;
    if (call.has("prune")) await prune(call, mode);
    else if (call.has("restore")) {
      await forAll(call, ({ path }) => store.upkeep.restorePayloads(path, mode), mode);
    } else {
      const rule = ruleOf(call);
      await forAll(call, ({ path }) => store.upkeep.movePayloads(path, mode, rule), mode);
    }
    return 0;
  },
};
