import { z } from "@hono/zod-openapi";
import { BranchlineError } from "../../errors.ts";
import { HttpError } from "../http-error.ts";
import { type Route, type RouteCall, route } from "../route.ts";
import type { ServerCore } from "../server-core.ts";
import type { SessionHost } from "../session-host.ts";
import { ANSWER_BYTES, type TeachingAnswer, teachingAnswer } from "../teaching-answer.ts";

const SESSION = z.looseObject({
  sessionId: z.string(),
  leafId: z.string().nullable(),
  messages: z.array(z.unknown()),
  events: z.array(z.unknown()),
  tools: z.array(z.unknown()),
  entries: z.array(z.unknown()),
  truncated: z.literal(true).optional(),
});
const PROMPT = z.strictObject({ text: z.string().trim().min(1).max(500_000) });

/** The current session, as far as these clients need it. */
async function sessionAnswer(core: ServerCore, host: SessionHost): Promise<TeachingAnswer> {
  return await teachingAnswer(await core.runs.of(host), ANSWER_BYTES);
}

/** The current session; the first question makes one where there is none. */
async function current(core: ServerCore): Promise<SessionHost> {
  try {
    return await core.hosts.useForWriting(await core.teaching.currentId());
  } catch (error) {
    if (!BranchlineError.is(error, "SESSION_UNKNOWN")) throw error;
    return await startAnew(core);
  }
}

async function startAnew(core: ServerCore): Promise<SessionHost> {
  const made = await core.library.home.store.create({ cwd: core.cwd });
  const { id } = made;
  await made.close();
  core.teaching.choose(id);
  core.hub.publish("session_created", { sessionId: id }, { id });
  return await core.hosts.use(id);
}

const sessionRoute = route({
  method: "get",
  path: "/api/session",
  tag: "teaching",
  about:
    "The current session of the teaching agent's clients; the newest one, unless one was chosen. Of a large one the newest part, with `truncated`.",
  answer: SESSION,
  run: async ({ core }) => {
    const id = await core.teaching.currentId();
    return await sessionAnswer(core, await core.hosts.use(id));
  },
});

const resetRoute = route({
  method: "post",
  path: "/api/reset",
  tag: "teaching",
  about: "Starts a new current session; the old one stays in the library.",
  body: z.strictObject({}),
  answer: SESSION,
  run: async ({ core }) => await sessionAnswer(core, await startAnew(core)),
});

type PromptCall = Pick<RouteCall<unknown, z.output<typeof PROMPT>>, "core" | "body">;

async function start({ core, body }: PromptCall): Promise<{ runId: string; host: SessionHost }> {
  const host = await current(core);
  core.teaching.choose(host.id);
  const run = await core.runs.of(host);
  const started = await host.change("teaching", () =>
    run.start((harness) => harness.prompt(body.text)),
  );
  if (started === null) throw new HttpError("HTTP_INTERNAL", "The run did not begin.");
  core.teaching.addRun(started.runId);
  return { runId: started.runId, host };
}

const promptRoute = route({
  method: "post",
  path: "/api/prompt",
  tag: "teaching",
  about: "Speaks to the agent in the current session and answers when the run has settled.",
  body: PROMPT,
  answer: SESSION,
  run: async (call) => {
    const { host } = await start(call);
    await (await call.core.runs.of(host)).harness.settled();
    return await sessionAnswer(call.core, host);
  },
});

const runsRoute = route({
  method: "post",
  path: "/api/runs",
  tag: "teaching",
  about: "Starts a run in the current session; its events are at `/api/runs/{r}/events`.",
  body: PROMPT,
  answer: z.object({ runId: z.string() }),
  run: async (call) => ({ runId: (await start(call)).runId }),
});

/** The teaching agent's endpoints; `POST /api/branch` and the events of a run stand with the others. */
export const TEACHING_ROUTES: readonly Route[] = [sessionRoute, resetRoute, promptRoute, runsRoute];
