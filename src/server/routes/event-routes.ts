import { z } from "@hono/zod-openapi";
import type { WireEvent } from "../../protocol/event.ts";
import type { StreamFilter } from "../event-hub.ts";
import { openEventStream } from "../event-stream.ts";
import { HttpError } from "../http-error.ts";
import { type Route, type RouteCall, route } from "../route.ts";

/** The name of the page and where it goes on: what every stream may be asked with. */
export const STREAM_QUERY: {
  readonly client: z.ZodOptional<z.ZodString>;
  readonly lastEventId: z.ZodOptional<z.ZodString>;
} = {
  client: z
    .string()
    .regex(/^[\w.-]{1,64}$/)
    .optional(),
  lastEventId: z
    .string()
    .regex(/^\d{1,15}$/)
    .optional(),
};

/** Sessions of one stream: each is kept open as long as somebody hears of it. */
const MOST_SESSIONS = 64;

interface StreamWish {
  readonly filter: StreamFilter;
  readonly snapshot: () => WireEvent["data"];
  readonly endsWith?: (event: WireEvent) => boolean;
  readonly isOver?: boolean;
  readonly format?: ((event: WireEvent) => string) | undefined;
}

type StreamCall = Pick<
  RouteCall<{ client?: string | undefined; lastEventId?: string | undefined }, unknown>,
  "core" | "request" | "context" | "query"
>;

/** Opens a stream for a request. */
export function streamFor(
  { core, request, context, query }: StreamCall,
  wish: StreamWish,
): Response {
  const header = request.headers.get("last-event-id") ?? query.lastEventId ?? null;
  if (header !== null && !/^\d{1,15}$/.test(header)) {
    throw new HttpError("HTTP_BAD_REQUEST", "Last-Event-ID is no number.");
  }
  const { outgoing } = Object(context.env) as { outgoing?: { destroy(): void } };
  return openEventStream({
    hub: core.hub,
    limits: core.limits,
    client: query.client ?? request.headers.get("user-agent") ?? "",
    lastEventId: header === null ? null : Number(header),
    signal: request.signal,
    drop: () => outgoing?.destroy(),
    ...wish,
  });
}

const allRoute = route({
  method: "get",
  path: "/api/events",
  tag: "events",
  about:
    "Events of several sessions (`session=a,b`) or of all, as SSE. `id:` is the sequence number; `Last-Event-ID` (or `lastEventId`) resumes, a `snapshot` event says that what came between is gone. `client` names the page, for the limit of streams.",
  query: z.strictObject({ session: z.string().max(4000).optional(), ...STREAM_QUERY }),
  run: async (call) => {
    const names = call.query.session?.split(",").filter((name) => name !== "") ?? [];
    if (names.length > MOST_SESSIONS) {
      throw new HttpError("HTTP_BAD_REQUEST", `At most ${MOST_SESSIONS} sessions in one stream.`);
    }
    for (const id of names) await call.core.hosts.use(id);
    const sessions = names.length === 0 ? null : new Set(names);
    const snapshot = (): unknown => ({ revision: null, run: null });
    return streamFor(call, { filter: { sessions, run: null }, snapshot });
  },
});

const sessionRoute = route({
  method: "get",
  path: "/api/sessions/{s}/events",
  tag: "events",
  about: "Events of one session, as SSE; as `/api/events`.",
  query: z.strictObject(STREAM_QUERY),
  run: async (call) => {
    const host = await call.core.hosts.use(call.params.s ?? "");
    const filter = { sessions: new Set([host.id]), run: null };
    const snapshot = (): unknown => ({
      revision: host.revision,
      run: call.core.runs.stateOf(host.id),
    });
    return streamFor(call, { filter, snapshot });
  },
});

/** Streams of events; those of one run stand with the runs. */
export const EVENT_ROUTES: readonly Route[] = [allRoute, sessionRoute];
