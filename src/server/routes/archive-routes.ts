import { z } from "@hono/zod-openapi";
import { settleRun } from "../changes.ts";
import { HttpError } from "../http-error.ts";
import { type Route, route } from "../route.ts";
import type { ServerRoot } from "../server-root.ts";

/** Folders whose files are not packed from a page, and why. */
const KEPT: Partial<Readonly<Record<ServerRoot["kind"], string>>> = {
  samples: "Samples stay as they are shipped.",
  pi: "Pi could not read the session any more; `branchline archive` packs it if that is wished for.",
};

const PACKED = z.object({
  id: z.string(),
  bytesBefore: z.number(),
  bytesAfter: z.number(),
  applied: z.boolean(),
});

const archiveRoute = route({
  method: "post",
  path: "/api/sessions/{s}/archive",
  tag: "sessions",
  about:
    "What packing the file of a session would save, as `branchline archive`; with `apply` it is done. A packed session stays in the library and is read as before; it is written to again after `unarchive`. 409 while it is open in another process.",
  body: z.strictObject({ apply: z.boolean().optional() }),
  answer: PACKED,
  run: async ({ core, params, body }) => {
    const host = await core.hosts.use(params.s ?? "");
    const { id, path, root } = host.located;
    const refusal = KEPT[root.kind];
    if (refusal !== undefined) throw new HttpError("HTTP_FORBIDDEN", refusal);
    if (body.apply !== true) {
      const { bytesBefore, bytesAfter } = await root.store.upkeep.estimateArchive(path);
      return { id, bytesBefore, bytesAfter, applied: false };
    }
    await settleRun(core, host, {});
    await core.hosts.drop(id);
    const { bytesBefore, bytesAfter } = await root.store.upkeep.archive(path);
    core.hub.publish("session_updated", { sessionId: id }, { id });
    return { id, bytesBefore, bytesAfter, applied: true };
  },
});

const unarchiveRoute = route({
  method: "post",
  path: "/api/sessions/{s}/unarchive",
  tag: "sessions",
  about: "Brings a packed session back, byte for byte, so that it can be written to.",
  body: z.strictObject({}),
  answer: PACKED,
  run: async ({ core, params }) => {
    const host = await core.hosts.use(params.s ?? "");
    const { id, path, root } = host.located;
    await core.hosts.drop(id);
    const { bytesBefore, bytesAfter } = await root.store.upkeep.unarchive(path);
    core.hub.publish("session_updated", { sessionId: id }, { id });
    return { id, bytesBefore, bytesAfter, applied: true };
  },
});

/** Packing cold sessions and bringing them back. */
export const ARCHIVE_ROUTES: readonly Route[] = [archiveRoute, unarchiveRoute];
