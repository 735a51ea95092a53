import { z } from "@hono/zod-openapi";
import { summariseBranch } from "../../compaction/branch-summary.ts";
import { isRefusal } from "../../compaction/refusal.ts";
import type { Content } from "../../entry/message.ts";
import { BranchlineError } from "../../errors.ts";
import type { MoveAnswer } from "../../protocol/operation.ts";
import { forkSession } from "../../session/fork.ts";
import { branchConclusion, type MergeNote, mergeBranch } from "../../session/merge.ts";
import { pickEntries } from "../../session/pick.ts";
import type { Session } from "../../session/session.ts";
import { checkLeaf, moveAnswer, settleRun, standing } from "../changes.ts";
import { CWD, clientOf, ENTRY, entryId, optionalEntryId, writableHostOf } from "../input.ts";
import { type Route, type RouteCall, type RouteTag, route } from "../route.ts";
import type { ServerCore } from "../server-core.ts";
import type { SessionHost } from "../session-host.ts";
import { sessionState } from "../session-state.ts";
import * as wire from "../wire-schema.ts";

const NAME: z.ZodType<string> = z.string().min(1).max(200);
const GUARD = { ifLeaf: ENTRY.nullable().optional(), abort: z.boolean().optional() };
const TAG: { readonly method: "post"; readonly tag: RouteTag; readonly takesKey: true } = {
  method: "post",
  tag: "changes",
  takesKey: true,
};

type AnyCall = Pick<RouteCall<unknown, unknown>, "core" | "params" | "request">;

interface Guarded {
  readonly ifLeaf?: string | null | undefined;
  readonly abort?: boolean | undefined;
}

/** One change under the rules that all changes have: no active run, the expected leaf. */
async function changed(
  call: AnyCall & { readonly body: Guarded },
  work: (session: Session, host: SessionHost) => Promise<string | null>,
): Promise<MoveAnswer> {
  const host = await writableHostOf(call.core, call.params);
  await settleRun(call.core, host, call.body);
  return await host.change(clientOf(call.request), async (session) => {
    // Again: one may have begun while this change waited for its turn.
    await settleRun(call.core, host, call.body);
    checkLeaf(session, call.body);
    const before = session.leaf;
    const op = await work(session, host);
    return standing(host.session, before, op);
  });
}

const CONTENT: z.ZodType<Content> = z.union([
  z.string().max(500_000),
  z.array(z.looseObject({ type: z.string() })).max(1000),
]);

const branchesRoute = route({
  ...TAG,
  path: "/api/sessions/{s}/branches",
  about: "Starts and names a branch under an entry (default: the leaf) without moving anybody.",
  body: z.strictObject({ name: NAME, at: ENTRY.nullable().optional() }),
  answer: z.looseObject({ branch: z.string() }),
  run: async ({ core, params, body, request }) => {
    const host = await writableHostOf(core, params);
    return await host.change(clientOf(request), async (session) => {
      const at = body.at === undefined ? session.leaf : optionalEntryId(session.tree, body.at);
      const started = await session.createBranch(body.name, at);
      return { ...standing(session, session.leaf, null), branch: session.branch, started };
    });
  },
});

const branchRoute = route({
  method: "patch",
  path: "/api/sessions/{s}/branches/{b}",
  tag: "changes",
  about: "Renames a branch, or marks it as archived.",
  body: z.strictObject({ name: NAME.optional(), archived: z.boolean().optional() }),
  answer: wire.MOVE_ANSWER,
  takesKey: true,
  run: async ({ core, params, body, request }) => {
    const host = await writableHostOf(core, params);
    const branch = params.b ?? "";
    return await host.change(clientOf(request), async (session) => {
      let op: string | null = null;
      if (body.name !== undefined) op = await session.renameBranch(branch, body.name);
      if (body.archived === true) op = await session.archiveBranch(branch);
      if (body.archived === false) op = await session.unarchiveBranch(branch);
      return standing(session, session.leaf, op);
    });
  },
});

const forkRoute = route({
  ...TAG,
  path: "/api/sessions/{s}/fork",
  about: "Makes a new session from the path to an entry.",
  body: z.strictObject({ at: ENTRY.nullable(), name: NAME.optional(), cwd: CWD.optional() }),
  answer: wire.SESSION_STATE,
  run: (call) => forkAt(call, call.body.at),
});

const cloneRoute = route({
  ...TAG,
  path: "/api/sessions/{s}/clone",
  about: "Makes a new session from the path to the leaf.",
  body: z.strictObject({ name: NAME.optional(), cwd: CWD.optional() }),
  answer: wire.SESSION_STATE,
  run: (call) => forkAt(call, undefined),
});

interface ForkWish {
  readonly name?: string | undefined;
  readonly cwd?: string | undefined;
}

async function forkAt(
  { core, params, body }: AnyCall & { readonly body: ForkWish },
  entry: string | null | undefined,
): Promise<unknown> {
  const from = (await core.hosts.use(params.s ?? "")).session;
  const at = entry === undefined ? from.leaf : optionalEntryId(from.tree, entry);
  const { name, cwd } = body;
  const folder = cwd === undefined ? {} : { cwd };
  const made = await forkSession({ from, at, store: core.library.home.store, ...folder });
  const { id } = made;
  await made.close();
  const host = await core.hosts.use(id);
  if (name !== undefined) await host.change("api", (session) => session.rename(name));
  core.hub.publish("session_created", { sessionId: id }, { id });
  return await sessionState(core, host);
}

const labelsRoute = route({
  ...TAG,
  path: "/api/sessions/{s}/labels",
  about: "Labels an entry; null takes the label away.",
  body: z.strictObject({ entry: ENTRY, text: z.string().max(200).nullable() }),
  answer: wire.MOVE_ANSWER,
  run: async ({ core, params, body, request }) => {
    const host = await writableHostOf(core, params);
    return await host.change(clientOf(request), async (session) => {
      const before = session.leaf;
      const op = await session.setLabel(entryId(session.tree, body.entry), body.text);
      return standing(session, before, op);
    });
  },
});

const editsRoute = route({
  ...TAG,
  path: "/api/sessions/{s}/context-edits",
  about: "Hides an entry from the model, shows it another content, or takes that back.",
  body: z.strictObject({
    entry: ENTRY,
    action: z.enum(["hide", "replace", "unhide"]),
    content: CONTENT.optional(),
    ...GUARD,
  }),
  answer: wire.MOVE_ANSWER,
  run: (call) =>
    changed(call, async (session) => {
      const entry = entryId(session.tree, call.body.entry);
      if (call.body.action === "hide") return await session.hide(entry);
      if (call.body.action === "unhide") return await session.unhide(entry);
      return await session.replace(entry, call.body.content ?? "");
    }),
});

const uncompactRoute = route({
  ...TAG,
  path: "/api/sessions/{s}/uncompact",
  about: "Makes the context skip a compaction (default: the one in force).",
  body: z.strictObject({ compaction: ENTRY.optional(), ...GUARD }),
  answer: wire.MOVE_ANSWER,
  run: (call) =>
    changed(call, async (session) => {
      const { compaction } = call.body;
      return await session.uncompact(
        compaction === undefined ? undefined : entryId(session.tree, compaction),
      );
    }),
});

const undoRoute = route({
  ...TAG,
  path: "/api/sessions/{s}/undo",
  about: "Takes the newest operation back, whoever did it.",
  body: z.strictObject(GUARD),
  answer: wire.MOVE_ANSWER,
  run: (call) =>
    changed(call, async (session, host) => {
      const { op } = await session.undo();
      host.hub.publish("op_undone", { sessionId: host.id }, { op });
      return op;
    }),
});

const redoRoute = route({
  ...TAG,
  path: "/api/sessions/{s}/redo",
  about: "Takes the newest undo back.",
  body: z.strictObject(GUARD),
  answer: wire.MOVE_ANSWER,
  run: (call) =>
    changed(call, async (session, host) => {
      const { op } = await session.redo();
      host.hub.publish("op_redone", { sessionId: host.id }, { op });
      return op;
    }),
});

const selectRoute = route({
  ...TAG,
  path: "/api/sessions/{s}/select",
  about: "Moves to an entry as Pi does: above a user message, with its text for the composer.",
  body: z.strictObject({ entry: ENTRY, ...GUARD }),
  answer: wire.MOVE_ANSWER,
  run: async ({ core, params, body, request }) => {
    const host = await writableHostOf(core, params);
    await settleRun(core, host, body);
    return await host.change(clientOf(request), async (session) => {
      await settleRun(core, host, body);
      checkLeaf(session, body);
      return moveAnswer(await session.select(entryId(session.tree, body.entry)));
    });
  },
});

const mergeRoute = route({
  ...TAG,
  path: "/api/sessions/{s}/merge",
  about:
    "Appends what another branch came to at the leaf: its last answer, your `summary`, or (true) one that the model writes; nothing is rewritten.",
  body: z.strictObject({
    from: ENTRY,
    summary: z.union([z.string().min(1).max(200_000), z.literal(true)]).optional(),
    ...GUARD,
  }),
  answer: wire.MOVE_ANSWER,
  run: (call) =>
    changed(call, async (session) => {
      const from = entryId(session.tree, call.body.from);
      const note = await noteOf(call.core, session, { from, summary: call.body.summary });
      await mergeBranch(session, note);
      return null;
    }),
});

/** The last answer of a branch, a text, or (true) a summary that the model in force writes. */
async function noteOf(
  core: ServerCore,
  session: Session,
  { from, summary }: { readonly from: string; readonly summary?: string | true | undefined },
): Promise<MergeNote> {
  if (typeof summary === "string") return { from, text: summary };
  if (summary === undefined) return await branchConclusion(session, from);
  const summariser = await core.runs.summariser(session);
  const made = await summariseBranch(session, { from, to: session.leaf, summariser });
  if (!isRefusal(made)) return { from, text: made.text, details: made.details };
  const { refused: reason, message } = made;
  throw new BranchlineError("COMPACTION_REFUSED", { reason }, { message });
}

const pickRoute = route({
  ...TAG,
  path: "/api/sessions/{s}/pick",
  about:
    "Appends copies of chosen messages of other branches at the leaf; calls keep their results, nothing is rewritten.",
  body: z.strictObject({ entries: z.array(ENTRY).min(1).max(100), ...GUARD }),
  answer: wire.MOVE_ANSWER,
  run: (call) =>
    changed(call, async (session) => {
      const ids = call.body.entries.map((name) => entryId(session.tree, name));
      await pickEntries(session, ids);
      return null;
    }),
});

/** Changes of a session's tree, all by appending. */
export const CHANGE_ROUTES: readonly Route[] = [
  branchesRoute,
  branchRoute,
  forkRoute,
  cloneRoute,
  mergeRoute,
  pickRoute,
  labelsRoute,
  editsRoute,
  uncompactRoute,
  undoRoute,
  redoRoute,
  selectRoute,
];
