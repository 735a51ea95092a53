import { z } from "@hono/zod-openapi";
import { originalIds } from "../../compaction/originals.ts";
import { planCompaction } from "../../compaction/plan.ts";
import { isRefusal } from "../../compaction/refusal.ts";
import { replaySystem } from "../../compaction/system-replay.ts";
import type { Block } from "../../entry/message.ts";
import { BranchlineError } from "../../errors.ts";
import type { QueueName } from "../../harness/queue.ts";
import type { Permission } from "../../harness/tool.ts";
import type { Session } from "../../session/session.ts";
import type { ModelRef } from "../../tree/fold.ts";
import { checkLeaf, settleRun, standing } from "../changes.ts";
import { queueRow } from "../harness-event.ts";
import { HttpError } from "../http-error.ts";
import {
  clientOf,
  ENTRY,
  entryId,
  hostOf,
  numberIn,
  optionalEntryId,
  writableHostOf,
} from "../input.ts";
import { previews } from "../previews.ts";
import { type Route, type RouteCall, route } from "../route.ts";
import type { ServerCore } from "../server-core.ts";
import type { ServerModels } from "../server-models.ts";
import type { SessionHost } from "../session-host.ts";
import type { SessionRun } from "../session-run.ts";
import { sessionState } from "../session-state.ts";
import { EVENT_BYTES, teachingAnswer } from "../teaching-answer.ts";
import { teachingText } from "../teaching-event.ts";
import * as wire from "../wire-schema.ts";
import { STREAM_QUERY, streamFor } from "./event-routes.ts";

const TEXT = z.string().min(1).max(500_000);
/** What a person can say. */
const BLOCK = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("text"), text: z.string().max(500_000) }),
  z.strictObject({ type: z.literal("image"), data: z.string(), mimeType: z.string().max(100) }),
]);
const CONTENT: z.ZodType<string | readonly Block[]> = z.union([
  TEXT,
  z.array(BLOCK).min(1).max(100),
]);
const MODEL_NAME = z.string().min(3).max(300);

const runRoute = route({
  method: "post",
  path: "/api/sessions/{s}/runs",
  tag: "runs",
  about:
    "Speaks to the agent. The answer names the model, and as `insteadOf` the one that it stands in for. `run` starts a run (409 while one is active) and answers with its id as soon as it has begun; `steer` and `followUp` speak into an active run, `nextTurn` waits for the next one; `resume` goes on with a run that a crash cut off; `retry` asks again from where the leaf is. `at` moves the leaf first.",
  body: z.strictObject({
    text: TEXT.optional(),
    content: CONTENT.optional(),
    mode: z.enum(["run", "steer", "followUp", "nextTurn", "resume", "retry"]).optional(),
    at: ENTRY.nullable().optional(),
    model: MODEL_NAME.optional(),
    ifLeaf: ENTRY.nullable().optional(),
  }),
  answer: z.looseObject({
    runId: z.string().nullable(),
    queued: wire.QUEUE_ROW.nullable(),
    /** The model that answers, and the path's own where nobody here has it. */
    ...{ model: wire.MODEL.nullable(), insteadOf: z.string().nullable() },
  }),
  takesKey: true,
  run: async (call) => {
    const { core, params, body } = call;
    const host = await writableHostOf(core, params);
    const run = await core.runs.of(host);
    const model = body.model === undefined ? null : await core.models.named(body.model);
    const { mode = "run" } = body;
    if (mode === "steer" || mode === "followUp" || mode === "nextTurn") {
      if (model !== null) await run.harness.setModel(model);
      const queued = await enqueue(run, mode, contentOf(body));
      return { runId: run.state?.id ?? null, queued, model: null, insteadOf: null };
    }
    const { answering, started } = await host.change(clientOf(call.request), async (session) => {
      checkLeaf(session, body);
      if (mode !== "run" && model !== null) await run.harness.setModel(model);
      const at = body.at === undefined ? {} : { at: optionalEntryId(session.tree, body.at) };
      const wish = { ...at, ...(model === null ? {} : { model }) };
      const answering = await answeringTo(core, session, wish);
      const started = await run.start((harness) => {
        if (mode === "resume") return harness.resume();
        return mode === "retry" ? harness.proceed() : harness.prompt(contentOf(body), wish);
      });
      return { answering, started };
    });
    const runId = started !== null && "runId" in started ? started.runId : null;
    return { runId, queued: null, ...answering };
  },
});

/** Who answers a question: the model that it names, else that of the path that it asks from. */
async function answeringTo(
  core: ServerCore,
  { tree, leaf }: Session,
  { at = leaf, model }: { readonly at?: string | null; readonly model?: ModelRef },
): Promise<Awaited<ReturnType<ServerModels["answering"]>>> {
  if (model === undefined) return await core.models.answering({ tree, leaf: at });
  return { model: await core.models.wire(model), insteadOf: null };
}

interface Spoken {
  readonly text?: string | undefined;
  readonly content?: string | readonly Block[] | undefined;
}

/** Throws HTTP_BAD_REQUEST where nothing is said. */
function contentOf({ text, content }: Spoken): string | readonly Block[] {
  const said = content ?? text;
  if (said !== undefined) return said;
  throw new HttpError("HTTP_BAD_REQUEST", "text or content is missing.");
}

async function enqueue(
  run: SessionRun,
  queue: QueueName,
  content: string | readonly Block[],
): Promise<ReturnType<typeof queueRow>> {
  return queueRow(await run.harness[queue](content));
}

const abortRoute = route({
  method: "delete",
  path: "/api/runs/{r}",
  tag: "runs",
  about: "Ends a run; answers when it has settled, with the queued messages that it had not taken.",
  answer: z.object({ runId: z.string(), returned: z.array(wire.QUEUE_ROW) }),
  run: async ({ core, params }) => {
    const runId = params.r ?? "";
    return { runId, returned: await core.runs.active(runId).abort() };
  },
});

const eventsRoute = route({
  method: "get",
  path: "/api/runs/{r}/events",
  tag: "runs",
  about: "Events of one run from its beginning, as SSE; ends with `run_done` or `run_error`.",
  query: z.strictObject(STREAM_QUERY),
  run: async (call) => await runStream(call, call.params.r ?? ""),
});

type StreamCall = Parameters<typeof streamFor>[0];

/** The stream of one run, from its first event unless told otherwise. */
export async function runStream(call: StreamCall, runId: string): Promise<Response> {
  const { core } = call;
  const { seq, session } = core.runs.find(runId);
  const { teaching } = core;
  if (teaching.hasRun(runId) && teaching.endOf(runId) === undefined) {
    await keepLateEnd(core, runId, session);
  }
  const isOver = core.runs.stateOf(session)?.id !== runId;
  const lastEventId = call.query.lastEventId ?? String(seq);
  return streamFor(
    { ...call, query: { ...call.query, lastEventId } },
    {
      filter: { sessions: null, run: runId },
      snapshot: () => ({ revision: null, run: core.runs.stateOf(session) }),
      format: teaching.hasRun(runId)
        ? (event) => teachingText(event, teaching.endOf(runId))
        : undefined,
      endsWith: ({ type }) => type === "run_done" || type === "run_error",
      // Its last event may be gone, or heard already.
      isOver,
    },
  );
}

/** Of a run that ended long ago: what the session is now. */
async function keepLateEnd(core: ServerCore, runId: string, session: string): Promise<void> {
  if (core.runs.stateOf(session)?.id === runId) return;
  const run = await core.runs.of(await core.hosts.use(session));
  core.teaching.keepEnd(runId, await teachingAnswer(run, EVENT_BYTES));
}

const queueRoute = route({
  method: "get",
  path: "/api/sessions/{s}/queue",
  tag: "runs",
  about: "What waits in the queues of a session.",
  answer: z.object({ queue: z.array(wire.QUEUE_ROW) }),
  run: async ({ core, params }) => ({
    queue: await core.runs.queueOf(await hostOf(core, params)),
  }),
});

const editQueueRoute = route({
  method: "patch",
  path: "/api/sessions/{s}/queue/{id}",
  tag: "runs",
  about: "Gives a waiting message another content.",
  body: z.strictObject({ content: CONTENT }),
  answer: z.object({ queue: z.array(wire.QUEUE_ROW) }),
  takesKey: true,
  run: async ({ core, params, body }) => {
    const run = await core.runs.of(await writableHostOf(core, params));
    await run.harness.queues.edit(params.id ?? "", body.content);
    return { queue: run.queue };
  },
});

const dropQueueRoute = route({
  method: "delete",
  path: "/api/sessions/{s}/queue/{id}",
  tag: "runs",
  about: "Takes a waiting message out.",
  answer: z.object({ queue: z.array(wire.QUEUE_ROW) }),
  run: async ({ core, params }) => {
    const run = await core.runs.of(await writableHostOf(core, params));
    await run.harness.queues.remove(params.id ?? "");
    return { queue: run.queue };
  },
});

const settingsRoute = route({
  method: "post",
  path: "/api/sessions/{s}/settings",
  tag: "runs",
  about:
    "Sets model (`provider/model`), thinking level, active tools from here on the path; `ask` names tools that a person wants to be asked about (until the server ends); `instructions` agrees to the system text that the session holds here, or takes that back: without agreement, runs leave it out.",
  body: z.strictObject({
    model: MODEL_NAME.optional(),
    thinkingLevel: z.enum(["off", "minimal", "low", "medium", "high", "xhigh"]).optional(),
    activeTools: z.array(z.string().max(200)).max(200).optional(),
    ask: z.array(z.string().max(200)).max(200).optional(),
    instructions: z.boolean().optional(),
  }),
  answer: wire.SESSION_STATE,
  takesKey: true,
  run: async ({ core, params, body, request }) => {
    const host = await writableHostOf(core, params);
    const run = await core.runs.of(host);
    const { model, thinkingLevel, activeTools, ask } = body;
    const ref = model === undefined ? null : await core.models.named(model);
    await host.change(clientOf(request), async () => {
      if (ref !== null) await run.harness.setModel(ref);
      if (thinkingLevel !== undefined) await run.harness.setThinkingLevel(thinkingLevel);
      if (activeTools !== undefined) await run.harness.setActiveTools(activeTools);
    });
    if (ask !== undefined) core.runs.askAbout(host, ask);
    if (body.instructions !== undefined) {
      const { messages } = await host.session.context();
      // What a compaction would make of several counts too.
      const replay = replaySystem(messages);
      const all = replay === null ? [] : [...messages, replay];
      if (body.instructions) await core.instructions.agreeTo(all);
      else await core.instructions.takeBack(all);
      core.hub.publish("session_updated", { sessionId: host.id }, { id: host.id });
    }
    return await sessionState(core, host);
  },
});

const permissionRoute = route({
  method: "post",
  path: "/api/runs/{r}/permissions/{call}",
  tag: "runs",
  about: "Decides about a tool call that waits for a person.",
  body: z.strictObject({
    decision: z.enum(["allow", "block", "rewrite"]),
    reason: z.string().max(2000).optional(),
    arguments: z.record(z.string(), z.unknown()).optional(),
  }),
  answer: z.object({ ok: z.boolean() }),
  takesKey: true,
  run: async ({ core, params, body }) => {
    core.runs.active(params.r ?? "").decide(params.call ?? "", permissionOf(body));
    return { ok: true };
  },
});

function permissionOf(body: {
  readonly decision: "allow" | "block" | "rewrite";
  readonly reason?: string | undefined;
  readonly arguments?: Readonly<Record<string, unknown>> | undefined;
}): Permission {
  const { decision } = body;
  if (decision === "allow") return { decision };
  if (decision === "block") return { decision, reason: body.reason ?? "A person said no." };
  return { decision, arguments: body.arguments ?? {} };
}

const compactRoute = route({
  method: "post",
  path: "/api/sessions/{s}/compact",
  tag: "runs",
  about:
    "Appends a compaction of the path; the originals stay and can be expanded. `dryRun` says what it would do. `keep` = tokens at the end that stay as they are.",
  body: z.strictObject({
    instructions: z.string().max(20_000).optional(),
    keep: z.number().int().min(0).max(10_000_000).optional(),
    dryRun: z.boolean().optional(),
    ifLeaf: ENTRY.nullable().optional(),
    abort: z.boolean().optional(),
  }),
  answer: z.looseObject({}),
  takesKey: true,
  run: async (call) => {
    const host = await writableHostOf(call.core, call.params);
    return call.body.dryRun === true
      ? await dryRun(host, call.body.keep)
      : await compactNow(call, host);
  },
});

async function dryRun(host: SessionHost, keep: number | undefined): Promise<unknown> {
  const wish = keep === undefined ? {} : { keep: { tokens: keep } };
  const plan = await planCompaction(host.session, { reason: "manual", ...wish });
  if (isRefusal(plan)) return { dryRun: true, refused: plan.refused, message: plan.message };
  return {
    dryRun: true,
    firstKept: plan.firstKeptEntryId,
    summarised: plan.messages.length + plan.turnPrefix.length,
    kept: plan.kept.length,
    tokensBefore: plan.estimated.before,
    tokensStaying: plan.estimated.staying,
  };
}

interface CompactWish {
  readonly instructions?: string | undefined;
  readonly keep?: number | undefined;
  readonly ifLeaf?: string | null | undefined;
  readonly abort?: boolean | undefined;
}

type CompactCall = Pick<RouteCall<unknown, CompactWish>, "core" | "body" | "request">;

async function compactNow(
  { core, body, request }: CompactCall,
  host: SessionHost,
): Promise<unknown> {
  await settleRun(core, host, body);
  const run = await core.runs.of(host);
  return await host.change(clientOf(request), async (session) => {
    await settleRun(core, host, body);
    checkLeaf(session, body);
    const before = session.leaf;
    const { instructions, keep } = body;
    const outcome = await run.harness.compact({
      ...(instructions === undefined ? {} : { instructions }),
      ...(keep === undefined ? {} : { keep: { tokens: keep } }),
    });
    if (isRefusal(outcome)) {
      const { refused: reason, message } = outcome;
      throw new BranchlineError("COMPACTION_REFUSED", { reason }, { message });
    }
    const { entry, tokensBefore, tokensAfter, loss } = outcome;
    const op = entry.id;
    return {
      ...standing(session, before, op),
      compaction: entry.id,
      tokensBefore,
      tokensAfter,
      loss,
    };
  });
}

const originalsRoute = route({
  method: "get",
  path: "/api/sessions/{s}/compactions/{e}/originals",
  tag: "reading",
  about: "The entries that a compaction stands for, page by page.",
  query: z.strictObject({ cursor: numberIn(0, 1e9).optional() }),
  answer: z.object({
    rows: z.array(wire.ENTRY_PREVIEW),
    total: z.number(),
    cursor: z.string().nullable(),
  }),
  run: async ({ core, params, query }) => {
    const host = await hostOf(core, params);
    const { tree } = host.store;
    const ids = originalIds(host.session, entryId(tree, params.e ?? ""));
    const from = query.cursor ?? 0;
    const part = ids.slice(from, from + ORIGINALS_PAGE);
    const next = from + part.length;
    return {
      rows: await previews(
        host,
        part.flatMap((id) => tree.get(id) ?? []),
      ),
      total: ids.length,
      cursor: next < ids.length ? String(next) : null,
    };
  },
});

const ORIGINALS_PAGE = 100;

const modelsRoute = route({
  method: "get",
  path: "/api/models",
  tag: "runs",
  about: "The models of this server; the first one is used where nobody chose.",
  answer: z.object({ models: z.array(wire.MODEL) }),
  run: async ({ core }) => ({ models: await core.models.list() }),
});

const addModelRoute = route({
  method: "post",
  path: "/api/models",
  tag: "runs",
  about:
    "Adds a model with an OpenAI-compatible endpoint. The key is kept in memory only and never told.",
  body: z.strictObject({
    baseUrl: z.url({ protocol: /^https?$/ }).max(2000),
    apiKey: z.string().max(2000).optional(),
    model: z.string().min(1).max(300),
    name: z.string().max(200).optional(),
    contextWindow: z.number().int().positive().max(100_000_000).optional(),
    keep: z.literal(false).optional(),
  }),
  answer: z.object({ models: z.array(wire.MODEL) }),
  run: async ({ core, body }) => {
    const { keep: _keep, ...settings } = body;
    core.models.add(settings);
    return { models: await core.models.list() };
  },
});

/** Runs, their queues and permissions, compaction, models. */
export const RUN_ROUTES: readonly Route[] = [
  runRoute,
  abortRoute,
  eventsRoute,
  permissionRoute,
  queueRoute,
  editQueueRoute,
  dropQueueRoute,
  settingsRoute,
  compactRoute,
  originalsRoute,
  modelsRoute,
  addModelRoute,
];
