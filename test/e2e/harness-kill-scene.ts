import { closeSync, fsyncSync, openSync, writeSync } from "node:fs";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Message } from "../../src/entry/message.ts";
import { createHarness, type Harness } from "../../src/harness/harness.ts";
import type { Tool } from "../../src/harness/tool.ts";
import {
  createScriptedModel,
  type ScriptedRequest,
  type ScriptedStep,
} from "../../src/model/scripted-model.ts";
import { Session } from "../../src/session/session.ts";
import { createJsonlStore, type JsonlStore } from "../../src/store/jsonl/jsonl-store.ts";
import type { KillSteps } from "../builders/kill-steps.ts";

/** What a person asks first. */
export const PROMPT = "go";
/** What waits in the queues before the run begins, by queue. */
export const WAITING = { steer: "steer before", followUp: "follow up", nextTurn: "next" } as const;
/** What a person says while the first tools run; it is delivered where it was acknowledged. */
export const SPOKEN = "steer meanwhile";
/** Calls by their ids, in the order of the three batches; what begins with `safe` may be made again. */
export const BATCHES = [["pay-1", "safe-1"], ["safe-slow-2", "pay-2", "pay-3"], ["pay-4"]] as const;

const RUNS = 40;

/** A person's texts and the ids of the calls in a context. */
function seen(messages: readonly Message[]): { users: unknown[]; calls: string[] } {
  const users: unknown[] = [];
  const calls: string[] = [];
  for (const message of messages) {
    if (message.role === "user" && "content" in message) users.push(message.content);
    if (message.role !== "assistant" || !Array.isArray(message.content)) continue;
    for (const block of message.content)
      if (block.type === "toolCall") calls.push(String(block.id));
  }
  return { users, calls };
}

/** The answer follows from the context alone, so that another process goes on with the same script. */
function answer({ messages }: ScriptedRequest): ScriptedStep {
  const { users, calls } = seen(messages);
  const wants = [users.includes(PROMPT), users.includes(PROMPT), users.includes(WAITING.nextTurn)];
  const next = BATCHES.find((batch, at) => wants[at] === true && !calls.includes(batch[0]));
  if (next === undefined) return { text: `answer to ${String(users.at(-1))}`, chunk: 8 };
  const made = next.map((id) => ({
    id,
    name: id.startsWith("safe") ? "read" : "pay",
    arguments: { id },
  }));
  return { text: "I look.", calls: made };
}

/** Appends a line to the file of effects, on stable storage when it returns. */
export function effect(path: string, line: string): void {
  const file = openSync(path, "a");
  writeSync(file, `${line}\n`);
  fsyncSync(file);
  closeSync(file);
}

function tools(effects: string, steps: KillSteps): readonly Tool[] {
  const running = new Map<string, PromiseWithResolvers<void>>();
  const run = async (id: string): Promise<void> => {
    running.set(id, Promise.withResolvers());
    steps.step(`tool ${id} begins`);
    await nextTurn();
    // A slow call ends behind the ones that come after it, where those run too.
    for (let round = 0; id.includes("slow") && round < 20; round++) await nextTurn();
    if (id.includes("slow")) await running.get("pay-2")?.promise;
    effect(effects, `did ${id}`);
    steps.step(`tool ${id} did`);
    await nextTurn();
    running.get(id)?.resolve();
  };
  return (["read", "pay"] as const).map((name) => ({
    name,
    description: name,
    parameters: { type: "object", properties: { id: { type: "string" } }, required: ["id"] },
    replay: name === "read" ? "safe" : "never",
    async execute({ id }) {
      await run(String(id));
      return { content: [{ type: "text", text: `done ${String(id)}` }] };
    },
  }));
}

/** Where a run takes place. */
export interface KillScene {
  /** The session file. */
  readonly file: string;
  /** The file of effects: what tools did, and what was acknowledged to a person. */
  readonly effects: string;
  readonly steps: KillSteps;
}

/** An opened scene. */
export interface OpenScene {
  readonly store: JsonlStore;
  readonly session: Session;
  readonly harness: Harness;
}

/** Opens the session and puts a harness on it whose every awaited step counts. */
export async function openScene({ file, effects, steps }: KillScene): Promise<OpenScene> {
  const store = createJsonlStore({ root: "/nonexistent", fileSystem: steps.fileSystem() });
  const session = await Session.attach(await store.openFile(file));
  const models = createScriptedModel(
    Array.from({ length: RUNS }, () => (request: ScriptedRequest) => ({
      ...answer(request),
      gate: async (): Promise<void> => steps.step("model"),
    })),
  );
  const { provider, modelId } = models.info;
  const harness = await createHarness({
    ...{ session, models, model: { provider, modelId }, tools: tools(effects, steps) },
    systemPrompt: "You are careful.",
    workingFiles: {
      look: async () => {
        steps.step("working files");
        return { commit: "c0ffee", branch: "trunk", dirty: false };
      },
    },
  });
  let hasSpoken = false;
  harness.subscribe(async (event) => {
    steps.step(`event ${event.type}`);
    if (hasSpoken || event.type !== "tool_execution_start" || event.callId !== "pay-1") return;
    hasSpoken = true;
    await harness.steer(SPOKEN);
    effect(effects, `acknowledged ${SPOKEN}`);
  });
  return { store, session, harness };
}

/** Goes on after a kill until nothing is left to do. */
export async function goOn(scene: OpenScene): Promise<void> {
  const { harness, session } = scene;
  await harness.resume();
  await harness.settled();
  // What was not durable was not answered: a person types it again.
  const { users } = seen((await session.context()).messages);
  if (!users.includes(PROMPT)) {
    await harness.prompt(PROMPT);
    await harness.settled();
  }
}
