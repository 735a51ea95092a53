import assert from "node:assert/strict";
import type { Message } from "../../entry/message.ts";
import { ManualClock } from "../../io/testing/manual-clock.ts";
import {
  createScriptedModel,
  type ScriptedModel,
  type ScriptedModelOptions,
  type ScriptedStepSource,
} from "../../model/scripted-model.ts";
import { Session } from "../../session/session.ts";
import type { SessionStore } from "../../store/store.ts";
import { type CommitGate, GatingStore } from "../../store/testing/gating-store.ts";
import type { HarnessEvent } from "../events.ts";
import { createHarness, type Harness } from "../harness.ts";
import type { HarnessOptions } from "../harness-options.ts";
import type { Tool } from "../tool.ts";
import { traceLine } from "./trace-line.ts";

/** A store for one case of the suite, and how it is opened once more. */
export interface HarnessStore extends AsyncDisposable {
  readonly store: SessionStore;
  /** Another store on the same data, as another process would open it. */
  reopen(): Promise<SessionStore>;
}

/** What a rig is made with. */
export interface RigOptions extends Partial<Omit<HarnessOptions, "session" | "models" | "clock">> {
  readonly steps?: readonly ScriptedStepSource[];
  readonly info?: ScriptedModelOptions["info"];
  /** The session; default: a new one. */
  readonly session?: Session;
  /** False = durability is not looked at, for cases in which the store fails. Default true. */
  readonly isChecked?: boolean;
}

/** A harness under test: on a real store, with a script for a model and a clock that stands still. */
export interface Rig {
  readonly harness: Harness;
  readonly session: Session;
  readonly model: ScriptedModel;
  readonly clock: ManualClock;
  /** All events, as lines. */
  readonly trace: string[];
  readonly events: HarnessEvent[];
  readonly gate: CommitGate;
  /** Another handle on the session, through another store. */
  again(): Promise<Session>;
}

/** In ms. A sync of a busy disk takes longer than many turns of the loop, so turns are no measure. */
const PATIENCE = 60_000;

/** Lets everything that can go on go on, until the condition holds. */
export async function until(condition: () => boolean): Promise<void> {
  const start = performance.now();
  while (!condition()) {
    assert.ok(performance.now() - start < PATIENCE, "the condition never holds");
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Makes rigs on one store; each has its own handle. */
export async function makeRig(made: HarnessStore, options: RigOptions = {}): Promise<Rig> {
  const { steps = [], info, session: given, isChecked = true, ...rest } = options;
  const clock = new ManualClock();
  const model = createScriptedModel(steps, { now: () => clock.now(), ...(info ? { info } : {}) });
  const gating = new GatingStore(made.store);
  const session = given ?? (await Session.attach(await gating.create({ cwd: "/project" })));
  const { provider, modelId } = model.info;
  const harness = await createHarness({
    model: { provider, modelId },
    ...rest,
    session,
    models: model,
    clock,
  });
  const reopened = await made.reopen();
  const again = async (): Promise<Session> => Session.attach(await reopened.open(session.id));
  const reader = isChecked ? await again() : null;
  const trace: string[] = [];
  const events: HarnessEvent[] = [];
  harness.subscribe(async (event) => {
    trace.push(traceLine(event));
    events.push(event);
    if (event.type !== "message_end" || reader === null) return;
    // P1: who hears of a message finds it in the store, through whatever handle.
    await reader.refresh();
    const entry = await reader.store.mustGet(event.entryId);
    if (entry.type === "message") assert.deepEqual(entry.message, event.message);
  });
  return { harness, session, model, clock, trace, events, gate: gating.gate, again };
}

/** A tool that answers with what `run` gives. */
export function tool(
  name: string,
  run: Tool["execute"] | string = "ok",
  more: Partial<Tool> = {},
): Tool {
  const said = typeof run === "string" ? { content: [{ type: "text", text: run }] } : null;
  const execute: Tool["execute"] = typeof run === "string" ? async () => said ?? none() : run;
  return { name, description: name, parameters: { type: "object" }, ...more, execute };
}

function none(): never {
  return assert.fail("no output");
}

/** A promise that a test opens, and whether somebody waits for it. */
export interface Latch {
  readonly opened: Promise<void>;
  open(): void;
}

/** A latch. */
export function latch(): Latch {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { opened: promise, open: () => resolve() };
}

/** Roles and texts of messages, one line each. */
export function texts(messages: readonly Message[]): string[] {
  return messages.map((message) => `${message.role}: ${textOf(message)}`);
}

function textOf(message: Message): string {
  if ("summary" in message) return String(message.summary);
  const content: unknown = "content" in message ? message.content : "";
  if (typeof content === "string") return content;
  const blocks = content as readonly { readonly type: string; readonly text?: string }[];
  return blocks.map((block) => block.text ?? `[${block.type}]`).join("");
}
