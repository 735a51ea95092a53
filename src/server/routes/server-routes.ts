import { z } from "@hono/zod-openapi";
import { type Route, route } from "../route.ts";

const healthRoute = route({
  method: "get",
  path: "/api/health",
  tag: "server",
  about: "Says that the server is there.",
  answer: z.object({ ok: z.boolean(), version: z.string(), seq: z.number(), sessions: z.number() }),
  run: async ({ core }) => ({
    ok: true,
    version: core.version,
    seq: core.hub.seq,
    sessions: core.hosts.size,
  }),
});

/** The server itself. `POST /api/login` and `GET /api/openapi.json` are no rows of the table. */
export const SERVER_ROUTES: readonly Route[] = [healthRoute];
