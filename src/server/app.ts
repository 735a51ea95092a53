import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { OpenAPIHono, z } from "@hono/zod-openapi";
import type { Context } from "hono";
import { errorAnswer, HttpError } from "./http-error.ts";
import { IdempotentAnswers, type KeptAnswer } from "./idempotency.ts";
import { openApiDocument } from "./openapi.ts";
import { readBody } from "./request-body.ts";
import type { Route } from "./route.ts";
import type { ServerCore } from "./server-core.ts";
import type { StaticFiles } from "./static-files.ts";

/** What an app is made from. */
export interface AppParts {
  readonly core: ServerCore;
  readonly routes: readonly Route[];
  /** The page; null = there is none. */
  readonly files: StaticFiles | null;
}

/** Said with every answer (reliability.md S4, S20). */
export const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  "Cache-Control": "no-store",
  "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'; base-uri 'none'",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Referrer-Policy": "no-referrer",
  "X-Content-Type-Options": "nosniff",
  "X-Frame-Options": "DENY",
};

const compress = promisify(gzip);
/** JSON from this size on is compressed, in bytes. */
const COMPRESSED_FROM = 1024;

/**
 * The app of a server: every route of the table behind the token, bodies read with their limits, answers
 * as JSON with ETag and gzip. Works without a socket (`app.request`); what needs the raw request is done
 * before it (`request-guard.ts`).
 */
export function createApp(parts: AppParts): OpenAPIHono {
  const { core, routes } = parts;
  const app = new OpenAPIHono();
  const answers = new IdempotentAnswers();
  app.use("*", async (context, next) => {
    await next();
    for (const [name, value] of Object.entries(SECURITY_HEADERS)) {
      if (!context.res.headers.has(name)) context.res.headers.set(name, value);
    }
  });
  app.onError((error, context) => failure(core, context, error));
  app.get("/api/openapi.json", async (context) => {
    checkToken(core, context);
    return await jsonResponse(context, openApiDocument(routes, core.version), 200);
  });
  app.post("/api/login", async (context) => {
    const body = LOGIN.safeParse(await readBody(context.req.raw, core.limits));
    if (!body.success || !core.token.accepts(body.data.token)) throw unauthorized();
    context.header("Set-Cookie", core.token.setCookie);
    return await jsonResponse(context, { ok: true }, 200);
  });
  for (const one of routes) {
    const path = one.path.replaceAll(/\{(\w+)\}/g, ":$1");
    app.on(one.method.toUpperCase(), path, (context) => serve({ core, answers }, one, context));
  }
  app.notFound((context) => notFound(parts, context));
  return app;
}

const LOGIN = z.strictObject({ token: z.string().max(100) });

interface Serving {
  readonly core: ServerCore;
  readonly answers: IdempotentAnswers;
}

async function serve({ core, answers }: Serving, one: Route, context: Context): Promise<Response> {
  checkToken(core, context);
  const request = context.req.raw;
  const query = checked(one.query, context.req.query(), "query");
  const text = one.method === "get" ? {} : await readBody(request, core.limits);
  const body = one.body === null ? null : checked(one.body, text, "body");
  const params = context.req.param();
  const run = async (): Promise<unknown> =>
    await one.run({ core, params, query, body, request, context });
  const key = one.takesKey ? request.headers.get("idempotency-key") : null;
  if (key === null) {
    const answer = await run();
    if (!(answer instanceof Response)) return await jsonResponse(context, answer, 200);
    // Nobody reads it: a stream has to end, or it would keep its place for ever.
    if (request.method === "HEAD") await answer.body?.cancel();
    return answer;
  }
  const print = `${one.method} ${context.req.path} ${JSON.stringify(text)}`;
  const kept = await answers.once(key, print, () => keptAnswer(core, run));
  return await jsonResponse(context, kept.body, kept.status);
}

/** Never throws: whoever sent the same request meanwhile gets the same refusal. */
async function keptAnswer(core: ServerCore, run: () => Promise<unknown>): Promise<KeptAnswer> {
  try {
    return { status: 200, body: await run() };
  } catch (error) {
    const { status, body, isFault } = errorAnswer(error);
    if (isFault) core.log.error({ error: describe(error) }, "a request failed");
    return { status, body };
  }
}

function checkToken(core: ServerCore, context: Context): void {
  if (!core.token.allows(context.req.raw.headers)) throw unauthorized();
}

function unauthorized(): HttpError {
  const hint = "Open the address that the server printed, or send `Authorization: Bearer …`.";
  return new HttpError("HTTP_UNAUTHORIZED", "The token is missing or wrong.", { hint });
}

function checked(schema: z.ZodType, value: unknown, what: string): unknown {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const issues = result.error.issues.slice(0, 10).map(({ path, message }) => ({
    path: path.map(String).join("."),
    message: message.slice(0, 200),
  }));
  throw new HttpError("HTTP_BAD_REQUEST", `The ${what} does not fit.`, { fields: { issues } });
}

async function notFound(parts: AppParts, context: Context): Promise<Response> {
  const { core, routes, files } = parts;
  const { method } = context.req;
  const isQuestion = method === "GET" || method === "HEAD";
  const accepted = context.req.header("accept-encoding");
  const file = isQuestion ? files?.answer(context.req.path, accepted) : undefined;
  if (file !== undefined) return file;
  try {
    checkToken(core, context);
    const isRoute = routes.some(({ path }) => fits(path, context.req.path));
    if (isRoute) throw new HttpError("HTTP_METHOD_NOT_ALLOWED", "This method is not served here.");
    throw new HttpError("HTTP_NOT_FOUND", "Nothing is at this address.");
  } catch (error) {
    return failure(core, context, error);
  }
}

function fits(path: string, asked: string): boolean {
  const parts = path.split("/");
  const words = asked.split("/");
  return (
    parts.length === words.length &&
    parts.every((part, index) => part.startsWith("{") || part === words[index])
  );
}

async function failure(core: ServerCore, context: Context, error: unknown): Promise<Response> {
  const { status, body, isFault } = errorAnswer(error);
  if (isFault) {
    const { method, path } = context.req;
    core.log.error({ method, path, error: describe(error) }, "a request failed");
  }
  return await jsonResponse(context, body, status);
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

/** JSON with an ETag for questions, compressed where it is worth it. */
async function jsonResponse(context: Context, value: unknown, status: number): Promise<Response> {
  const text = JSON.stringify(value ?? null);
  const headers = new Headers({ "Content-Type": "application/json; charset=utf-8" });
  for (const [name, header] of context.res.headers) {
    if (name === "set-cookie") headers.append(name, header);
  }
  const request = context.req.raw;
  if (status === 200 && (request.method === "GET" || request.method === "HEAD")) {
    const tag = `"${createHash("sha1").update(text).digest("base64url")}"`;
    headers.set("ETag", tag);
    headers.set("Cache-Control", "no-cache, no-store");
    if (request.headers.get("if-none-match") === tag) {
      return new Response(null, { status: 304, headers });
    }
  }
  const takesGzip = /\bgzip\b/.test(request.headers.get("accept-encoding") ?? "");
  if (!takesGzip || text.length < COMPRESSED_FROM) return new Response(text, { status, headers });
  headers.set("Content-Encoding", "gzip");
  headers.set("Vary", "Accept-Encoding");
  return new Response(new Uint8Array(await compress(text, { level: 4 })), { status, headers });
}
