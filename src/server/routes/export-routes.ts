import { readFile } from "node:fs/promises";
import path from "node:path";
import { z } from "@hono/zod-openapi";
import {
  EXPORT_FORMATS,
  type ExportFormat,
  exportSession,
  isRedactedByDefault,
  reviewSession,
} from "../../export/export.ts";
import type { PageOptions } from "../../export/html-export.ts";
import { localPerson } from "../../export/local-person.ts";
import type { RedactionOptions } from "../../redaction/redactor.ts";
import { HttpError } from "../http-error.ts";
import { ENTRY, entryId, hostOf } from "../input.ts";
import { type Route, route } from "../route.ts";
import type { ServerCore } from "../server-core.ts";
import type { SessionHost } from "../session-host.ts";

/** Findings that a review tells one by one; the counts are of all. */
const TOLD = 500;

const TYPES: Readonly<Record<ExportFormat, string>> = {
  html: "text/html; charset=utf-8",
  md: "text/markdown; charset=utf-8",
  jsonl: "application/x-ndjson; charset=utf-8",
};

const SCOPE = z.enum(["path", "all"]).optional();

function redactionOf(core: ServerCore, host: SessionHost): RedactionOptions {
  return { ...localPerson(core.home), cwd: String(host.session.header.cwd ?? "") };
}

async function pageOf(core: ServerCore): Promise<PageOptions> {
  const { page, version } = core;
  const template =
    page === null ? null : await readFile(path.join(page, "export.html"), "utf8").catch(() => null);
  if (template !== null) return { template, version, now: new Date() };
  const hint = "Run `npm run build -w web` once.";
  throw new HttpError("HTTP_NOT_FOUND", "The page of exports is not built.", { hint });
}

function atOf(host: SessionHost, at: string | undefined): string | null {
  return at === undefined ? host.session.leaf : entryId(host.store.tree, at);
}

/** The pieces as bytes; what goes wrong on the way ends the answer without its end. */
async function* bytesOf(
  host: SessionHost,
  pieces: AsyncIterable<string>,
): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  // A slow reader may take longer than a session stays open.
  const release = host.use();
  try {
    for await (const piece of pieces) yield encoder.encode(piece);
  } finally {
    release();
  }
}

function fileName(host: SessionHost, to: ExportFormat): string {
  const id = /^[\w-]{1,64}$/.test(host.id) ? host.id : "session";
  return `${id}.${to}`;
}

const exportRoute = route({
  method: "get",
  path: "/api/sessions/{s}/export",
  tag: "reading",
  about:
    "The session as a file to keep or to show: the active path unless `scope=all`, secrets, paths and names taken out unless `redact=0` (`jsonl`: only with `redact=1`). An attachment, no JSON.",
  query: z.strictObject({
    to: z.enum(EXPORT_FORMATS),
    redact: z.enum(["0", "1"]).optional(),
    scope: SCOPE,
    at: ENTRY.optional(),
  }),
  run: async ({ core, params, query }) => {
    const host = await hostOf(core, params);
    const { to, scope = "path" } = query;
    if (to === "md" && scope === "all") {
      throw new HttpError("HTTP_BAD_REQUEST", "Markdown holds one path.");
    }
    const isRedacted = query.redact === undefined ? isRedactedByDefault(to) : query.redact === "1";
    const pieces = exportSession(host.session, {
      ...{ to, scope, at: atOf(host, query.at) },
      redaction: isRedacted ? redactionOf(core, host) : null,
      ...(to === "html" ? { page: await pageOf(core) } : {}),
    });
    return new Response(ReadableStream.from(bytesOf(host, pieces)) as ReadableStream<Uint8Array>, {
      headers: {
        "Content-Type": TYPES[to],
        "Content-Disposition": `attachment; filename="${fileName(host, to)}"`,
      },
    });
  },
});

const reviewRoute = route({
  method: "get",
  path: "/api/sessions/{s}/export/review",
  tag: "reading",
  about: `What redaction would take out of an export: counts by kind and the first ${TOLD} findings, masked.`,
  query: z.strictObject({ scope: SCOPE, at: ENTRY.optional() }),
  answer: z.object({
    entries: z.number(),
    changed: z.number(),
    total: z.number(),
    kinds: z.array(z.object({ kind: z.string(), count: z.number(), distinct: z.number() })),
    findings: z.array(
      z.object({
        kind: z.string(),
        masked: z.string(),
        count: z.number(),
        entries: z.number(),
        entry: z.string().nullable(),
        place: z.string(),
        placeholder: z.string(),
      }),
    ),
  }),
  run: async ({ core, params, query }) => {
    const host = await hostOf(core, params);
    const review = await reviewSession(host.session, {
      at: atOf(host, query.at),
      scope: query.scope ?? "path",
      redaction: redactionOf(core, host),
    });
    return { ...review, findings: review.findings.slice(0, TOLD) };
  },
});

/** Exports and what redaction finds before them. */
export const EXPORT_ROUTES: readonly Route[] = [exportRoute, reviewRoute];
