import { z } from "@hono/zod-openapi";
import { agentSources } from "../agent-sources.ts";
import { diffView } from "../diff-view.ts";
import { healthView } from "../health-view.ts";
import { ENTRY, entryId, hostOf, numberIn } from "../input.ts";
import { type Route, route } from "../route.ts";
import * as wire from "../wire-schema.ts";

const searchRoute = route({
  method: "get",
  path: "/api/search",
  tag: "library",
  about:
    "Entries of all sessions that fit a query (docs/search.md), also on branches that were left.",
  query: z.strictObject({ q: z.string().min(1).max(2000), limit: numberIn(1, 500).optional() }),
  answer: z.object({
    hits: z.array(wire.HIT_ROW),
    notes: z.array(z.looseObject({ code: z.string() })),
  }),
  run: async ({ core, query }) => await core.search.search(query.q, query.limit ?? 50),
});

const statsRoute = route({
  method: "get",
  path: "/api/stats",
  tag: "library",
  about:
    "Tokens, cost and calls of all sessions, by day, model, project or tool; nothing counts twice.",
  query: z.strictObject({ by: z.enum(["day", "model", "project", "tool"]).optional() }),
  answer: wire.STATS_VIEW,
  run: async ({ core, query }) => await core.search.stats(query.by ?? "day"),
});

const healthRoute = route({
  method: "get",
  path: "/api/sessions/{s}/fsck",
  tag: "library",
  about: "What is wrong with a session, and where its bytes are. Reads all of it, changes nothing.",
  answer: wire.HEALTH_VIEW,
  run: async ({ core, params }) => {
    const host = await hostOf(core, params);
    const view = await healthView(host);
    core.library.noteSecrets(host.id, view.secrets.length);
    return view;
  },
});

const diffRoute = route({
  method: "get",
  path: "/api/sessions/{s}/diff",
  tag: "library",
  about:
    "Two paths from where they part, turn by turn, or the two contexts as the model reads them.",
  query: z.strictObject({ a: ENTRY, b: ENTRY, mode: z.enum(["turns", "context"]).optional() }),
  answer: wire.DIFF_VIEW,
  run: async ({ core, params, query }) => {
    const host = await hostOf(core, params);
    const { tree } = host.store;
    const [a, b] = [entryId(tree, query.a), entryId(tree, query.b)];
    return await diffView(host, { a, b, mode: query.mode ?? "turns" });
  },
});

const SOURCE = z.object({
  agent: z.string(),
  root: z.string(),
  sessions: z.number(),
  readable: z.boolean(),
  consented: z.boolean(),
});

const sourcesRoute = route({
  method: "get",
  path: "/api/sources",
  tag: "library",
  about: "Folders of other agents on this machine, with counts; no file of them is opened for it.",
  answer: z.object({ sources: z.array(SOURCE) }),
  run: async ({ core }) => ({ sources: await agentSources(core) }),
});

const consentRoute = route({
  method: "post",
  path: "/api/sources",
  tag: "library",
  about: "Says that the sessions of an agent may be opened; from then on they are in the library.",
  body: z.strictObject({
    agent: z.enum(["pi", "claude", "codex", "qwen", "thclaws"]),
    consent: z.literal(true),
  }),
  answer: z.object({ sources: z.array(SOURCE) }),
  run: async ({ core, body }) => {
    await core.library.consent(body.agent);
    core.hub.publish(
      "index_progress",
      { sessionId: null },
      { done: 1, total: 1, what: body.agent },
    );
    return { sources: await agentSources(core) };
  },
});

/** Search, numbers, health, comparison, other agents. */
export const LIBRARY_ROUTES: readonly Route[] = [
  searchRoute,
  statsRoute,
  healthRoute,
  diffRoute,
  sourcesRoute,
  consentRoute,
];
