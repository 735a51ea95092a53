import { z } from "@hono/zod-openapi";
import type { Context } from "hono";
import type { ServerCore } from "./server-core.ts";

/** What a handler of a route gets: everything is checked. */
export interface RouteCall<Q, B> {
  readonly core: ServerCore;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Q;
  readonly body: B;
  readonly request: Request;
  readonly context: Context;
}

/** What belongs together in the document of the API. */
export type RouteTag =
  | "server"
  | "sessions"
  | "reading"
  | "changes"
  | "runs"
  | "events"
  | "library"
  | "teaching";

/**
 * One route as data: the app, the OpenAPI document, docs/http-api.md and the tests are made from the
 * same rows. A handler gives the JSON of the answer, or a whole `Response`.
 */
export interface Route {
  readonly method: "get" | "post" | "patch" | "delete";
  /** As in OpenAPI: `/api/sessions/{s}`. */
  readonly path: string;
  readonly tag: RouteTag;
  /** One sentence. */
  readonly about: string;
  readonly query: z.ZodType;
  readonly body: z.ZodType | null;
  /** Shape of the answer; null = it is no JSON, `about` tells. */
  readonly answer: z.ZodType | null;
  /** True: a repeated `Idempotency-Key` gives the same answer again. */
  readonly takesKey: boolean;
  run(call: RouteCall<unknown, unknown>): Promise<unknown>;
}

/** What a route is made from. */
export interface RouteSpec<Q extends z.ZodType, B extends z.ZodType> {
  readonly method: Route["method"];
  readonly path: string;
  readonly tag: RouteTag;
  readonly about: string;
  readonly query?: Q;
  readonly body?: B;
  readonly answer?: z.ZodType;
  readonly takesKey?: true;
  run(call: RouteCall<z.output<Q>, z.output<B>>): Promise<unknown>;
}

const NOTHING: z.ZodType<Record<string, never>> = z.strictObject({});

/** A row of the table, with the types of its query and body kept for the handler. */
export function route<Q extends z.ZodType = typeof NOTHING, B extends z.ZodType = z.ZodNull>(
  spec: RouteSpec<Q, B>,
): Route {
  const { method, path, tag, about, query, body, answer, takesKey } = spec;
  return {
    ...{ method, path, tag, about },
    query: query ?? NOTHING,
    body: body ?? null,
    answer: answer ?? null,
    takesKey: takesKey === true,
    run: (call) =>
      spec.run({ ...call, query: call.query as z.output<Q>, body: call.body as z.output<B> }),
  };
}
