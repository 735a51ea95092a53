import { z } from "@hono/zod-openapi";
import { BranchlineError } from "../../errors.ts";
import type { JsonlStore } from "../../store/jsonl/jsonl-store.ts";
import { checkLeaf, moveAnswer, settleRun } from "../changes.ts";
import { HttpError } from "../http-error.ts";
import { CWD, clientOf, ENTRY, numberIn, optionalEntryId } from "../input.ts";
import { LIBRARY_FLAGS } from "../library-query.ts";
import { type Route, route } from "../route.ts";
import type { ServerCore } from "../server-core.ts";
import { sessionState } from "../session-state.ts";
import { ANSWER_BYTES, teachingAnswer } from "../teaching-answer.ts";
import * as wire from "../wire-schema.ts";

const FILTER = z.string().max(1000).optional();
const FLAG = z.literal("1").optional();

const listRoute = route({
  method: "get",
  path: "/api/sessions",
  tag: "sessions",
  about:
    "One page of the library, pinned ones first, with facets. `label` = the text of a label; `diverged`, `secrets`, `running`, `unread` = 1 keep what fits.",
  query: z.strictObject({
    ...{ q: FILTER, project: FILTER, agent: FILTER, model: FILTER },
    since: z.iso.datetime().optional(),
    sort: z.enum(["modified", "created", "title", "bytes", "messages", "cost"]).optional(),
    archived: z.enum(["no", "only", "all"]).optional(),
    label: FILTER,
    ...{ diverged: FLAG, secrets: FLAG, running: FLAG, unread: FLAG },
    cursor: numberIn(0, 1e8).optional(),
    limit: numberIn(1, 200).optional(),
  }),
  answer: wire.SESSION_PAGE,
  run: async ({ core, query }) => {
    const { q, project, agent, model, since, sort = "modified", archived = "no" } = query;
    const { cursor: offset = 0, limit = 100 } = query;
    const flags = LIBRARY_FLAGS.filter((flag) => query[flag] === "1");
    const filter = { q, project, agent, model, since, sort, archived, label: query.label, flags };
    return await core.library.page({ ...filter, offset, limit });
  },
});

const createRoute = route({
  method: "post",
  path: "/api/sessions",
  tag: "sessions",
  about: "Starts a session.",
  body: z.strictObject({
    cwd: CWD.optional(),
    name: z.string().max(200).optional(),
  }),
  answer: wire.SESSION_STATE,
  takesKey: true,
  run: async ({ core, body, request }) => {
    const made = await core.library.home.store.create({ cwd: body.cwd ?? core.cwd });
    const { id } = made;
    await made.close();
    const host = await core.hosts.use(id);
    const { name } = body;
    if (name !== undefined && name.trim() !== "") {
      await host.change(clientOf(request), (session) => session.rename(name));
    }
    core.hub.publish("session_created", { sessionId: id }, { id });
    return await sessionState(core, host);
  },
});

const patchRoute = route({
  method: "patch",
  path: "/api/sessions/{s}",
  tag: "sessions",
  about:
    "Names a session (null = no name), pins it, archives it. Pins and archive marks are kept beside it.",
  body: z.strictObject({
    name: z.string().max(200).nullable().optional(),
    pinned: z.boolean().optional(),
    archived: z.boolean().optional(),
  }),
  answer: wire.SESSION_STATE,
  takesKey: true,
  run: async ({ core, params, body, request }) => {
    const { id } = await core.hosts.use(params.s ?? "");
    const { name, pinned, archived } = body;
    if (pinned !== undefined) await core.library.setMark(id, "pinned", pinned);
    if (archived !== undefined) await core.library.setMark(id, "archived", archived);
    if (name !== undefined) {
      const host = await core.hosts.useForWriting(id);
      await host.change(clientOf(request), (session) => session.rename(name));
    }
    const type = archived === undefined ? "session_updated" : "session_archived";
    core.hub.publish(type, { sessionId: id }, { id });
    return await sessionState(core, await core.hosts.use(id));
  },
});

const seenRoute = route({
  method: "post",
  path: "/api/sessions/{s}/seen",
  tag: "sessions",
  about:
    "Says that so many entries of a session were on a screen; what comes later is `unread`. Kept beside the sessions.",
  body: z.strictObject({ entries: z.number().int().min(0).max(1e9) }),
  answer: z.object({ id: z.string(), entries: z.number() }),
  run: async ({ core, params, body: { entries } }) => {
    const { id } = await core.library.locate(params.s ?? "");
    const isNew = await core.library.seen.note(id, entries);
    if (isNew) core.hub.publish("session_seen", { sessionId: id }, { id, entries });
    return { id, entries };
  },
});

const deleteRoute = route({
  method: "delete",
  path: "/api/sessions/{s}",
  tag: "sessions",
  about: "Moves a session to the trash; nothing is lost.",
  answer: z.object({ id: z.string(), trashed: z.boolean() }),
  run: async ({ core, params }) => {
    const host = await core.hosts.use(params.s ?? "");
    await settleRun(core, host, {});
    const { id, path, root } = host.located;
    if (root.kind === "samples")
      throw new HttpError("HTTP_FORBIDDEN", "Samples stay where they are.");
    const { title } = await host.store.summary();
    await core.hosts.drop(id);
    await root.store.trashFile(path);
    await core.library.noteTitle(id, title);
    core.hub.publish("session_removed", { sessionId: id }, { id });
    return { id, trashed: true };
  },
});

const trashRoute = route({
  method: "get",
  path: "/api/trash",
  tag: "sessions",
  about: "What is in the trash, newest first.",
  answer: z.object({
    sessions: z.array(
      z.object({
        ...{ id: z.string(), path: z.string().nullable(), trashed: z.string() },
        title: z.string().nullable(),
      }),
    ),
  }),
  run: async ({ core }) => {
    const seen = new Map<string, unknown>();
    for (const { store, kind } of core.library.roots) {
      if (kind === "samples") continue;
      for (const one of await store.listTrash()) {
        const title = await core.library.trashTitle(one.id);
        seen.set(`${one.id} ${one.path}`, { ...one, title });
      }
    }
    return { sessions: [...seen.values()] };
  },
});

const restoreRoute = route({
  method: "post",
  path: "/api/trash/{s}/restore",
  tag: "sessions",
  about: "Brings a session back from the trash.",
  body: z.strictObject({}),
  answer: wire.SESSION_STATE,
  takesKey: true,
  run: async ({ core, params }) => {
    const id = params.s ?? "";
    const store = await trashStoreOf(core, id);
    await store.restore(id);
    await core.library.noteTitle(id, null);
    core.hub.publish("session_created", { sessionId: id }, { id });
    return await sessionState(core, await core.hosts.use(id));
  },
});

const purgeRoute = route({
  method: "delete",
  path: "/api/trash/{s}",
  tag: "sessions",
  about: "Really removes a session from the trash. `confirm` repeats its id. Cannot be undone.",
  query: z.strictObject({ confirm: z.string().max(200) }),
  answer: z.object({ id: z.string(), purged: z.boolean() }),
  run: async ({ core, params, query }) => {
    const id = params.s ?? "";
    if (query.confirm !== id) {
      throw new HttpError("HTTP_BAD_REQUEST", "confirm has to repeat the id of the session.");
    }
    const store = await trashStoreOf(core, id);
    await store.purgeTrashed(id);
    await core.library.noteTitle(id, null);
    return { id, purged: true };
  },
});

async function trashStoreOf(core: ServerCore, id: string): Promise<JsonlStore> {
  for (const { store, kind } of core.library.roots) {
    if (kind === "samples") continue;
    if ((await store.listTrash()).some((one) => one.id === id)) return store;
  }
  const message = "No session in the trash has this id.";
  throw new BranchlineError("SESSION_UNKNOWN", { reference: id.slice(0, 200) }, { message });
}

const relocateRoute = route({
  method: "post",
  path: "/api/sessions/{s}/relocate",
  tag: "sessions",
  about: "Tells a session that its project folder lies elsewhere now.",
  body: z.strictObject({ cwd: CWD }),
  answer: wire.SESSION_STATE,
  takesKey: true,
  run: async ({ core, params, body }) => {
    const host = await core.hosts.useForWriting(params.s ?? "");
    await settleRun(core, host, {});
    const { id, path, root } = host.located;
    await core.hosts.drop(id);
    await root.store.relocate(path, body.cwd);
    core.hub.publish("session_updated", { sessionId: id }, { id });
    return await sessionState(core, await core.hosts.use(id));
  },
});

const branchRoute = route({
  method: "post",
  path: "/api/branch",
  tag: "changes",
  about:
    "Moves the leaf, durably and for everybody: all clients hear `branch_switch`. 400 without leafId, 404 for an unknown one, 409 while a run is active (unless `abort`) or where the leaf is not `ifLeaf` (the present one is in the body). `summary` leaves a text about what is left: yours, or (true) one that the model writes. `sessionId` may be left out by teaching clients, who get the session, too. Moves the conversation, never working files.",
  body: z.strictObject({
    leafId: ENTRY.nullable(),
    sessionId: z.string().max(200).optional(),
    summary: z
      .union([
        z.string().max(200_000),
        z.literal(true),
        z.strictObject({ instructions: z.string().max(20_000) }),
      ])
      .optional(),
    ifLeaf: ENTRY.nullable().optional(),
    abort: z.boolean().optional(),
  }),
  answer: wire.MOVE_ANSWER,
  takesKey: true,
  run: async ({ core, body, request }) => {
    const id = body.sessionId ?? (await core.teaching.currentId());
    const host = await core.hosts.useForWriting(id);
    await settleRun(core, host, body);
    const moved = await host.change(clientOf(request), async (session) => {
      // Again: one may have begun while this change waited for its turn.
      await settleRun(core, host, body);
      checkLeaf(session, body);
      const target = target400(body, () => optionalEntryId(session.tree, body.leafId));
      const { summary } = body;
      if (typeof summary === "object" || summary === true) {
        const { harness } = await core.runs.of(host);
        return moveAnswer(await harness.moveLeaf(target, { summary }));
      }
      const options = summary === undefined ? {} : { summary: { text: summary } };
      return moveAnswer(await session.moveLeaf(target, options));
    });
    if (body.sessionId !== undefined) return moved;
    return { ...moved, ...(await teachingAnswer(await core.runs.of(host), ANSWER_BYTES)) };
  },
});

/** Teaching clients name no session and know 400 only. */
function target400(
  body: { readonly sessionId?: string | undefined },
  find: () => string | null,
): string | null {
  try {
    return find();
  } catch (error) {
    if (body.sessionId !== undefined || !BranchlineError.is(error, "ENTRY_UNKNOWN")) throw error;
    throw new HttpError("HTTP_BAD_REQUEST", "leafId is no entry of the current session.");
  }
}

/** Sessions as wholes, and the move of the leaf. */
export const SESSION_ROUTES: readonly Route[] = [
  listRoute,
  createRoute,
  patchRoute,
  seenRoute,
  deleteRoute,
  trashRoute,
  restoreRoute,
  purgeRoute,
  relocateRoute,
  branchRoute,
];
