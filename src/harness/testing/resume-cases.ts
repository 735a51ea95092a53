import assert from "node:assert/strict";
import { createScriptedModel } from "../../model/scripted-model.ts";
import { Session } from "../../session/session.ts";
import { createHarness, type Harness } from "../harness.ts";
import type { Tool } from "../tool.ts";
import { type Death, DyingStore } from "./dying-store.ts";
import type { HarnessCase } from "./harness-case.ts";
import { type HarnessStore, makeRig, texts, tool } from "./harness-rig.ts";

/** What the tools did, over all lives of the run. */
interface World {
  unsafe: number;
  safe: number;
  slow: number;
}

const said = (text: string) => ({ content: [{ type: "text", text }] });

function toolsOf(world: World, harness: () => Harness): readonly Tool[] {
  const order: Tool["execute"] = async () => {
    world.unsafe++;
    return said("ordered");
  };
  const look: Tool["execute"] = async () => {
    world.safe++;
    return said("seen");
  };
  const slow: Tool["execute"] = async () => {
    world.slow++;
    // Kept by its key, so that asking again after a crash adds nothing.
    await harness().queues.add("followUp", "and then?", { key: "follow" });
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
    return said("slow");
  };
  return [
    tool("slow", slow, { replay: "safe" }),
    tool("order", order),
    tool("look", look, { replay: "safe" }),
  ];
}

const call = (id: string, name: string) => ({ id, name, arguments: {} });

/** A model whose answers depend on the path alone, so that a run that goes on gets the right one. */
function model() {
  const step = ({ messages }: { readonly messages: readonly { readonly role: string }[] }) => {
    const roles = messages.map(({ role }) => role);
    const users = roles.filter((role) => role === "user").length;
    if (users === 2) return { text: "the end" };
    if (!roles.includes("assistant")) {
      return { calls: [call("c1", "slow"), call("c2", "order"), call("c3", "look")] };
    }
    return { text: "all done" };
  };
  return createScriptedModel(Array.from({ length: 12 }, () => step));
}

interface Life {
  readonly harness: Harness;
  readonly session: Session;
}

async function live(world: World, session: Session): Promise<Life> {
  const models = model();
  const { provider, modelId } = models.info;
  let harness: Harness | null = null;
  const tools = toolsOf(world, () => harness ?? assert.fail());
  harness = await createHarness({ session, models, model: { provider, modelId }, tools });
  return { harness, session };
}

/** One run that dies at a commit, and the life after it. */
async function dieAndResume(made: HarnessStore, death: Death | null): Promise<number> {
  const world: World = { unsafe: 0, safe: 0, slow: 0 };
  const dying = new DyingStore(made.store);
  const session = await Session.attach(await dying.create({ cwd: "/project" }));
  const first = await live(world, session);
  dying.commits = 0;
  dying.death = death;
  const result = await first.harness.prompt("go");
  await first.harness.settled();
  const { commits } = dying;
  await first.harness.close();
  await session.close();
  const again = await Session.attach(await (await made.reopen()).open(session.id));
  const second = await live(world, again);
  const resumed = await second.harness.resume();
  await second.harness.settled();
  const at = JSON.stringify(death);
  if (death === null) {
    assert.equal(result.outcome, "done");
    assert.equal(resumed, null);
  }
  const { messages } = await again.context();
  const lines = texts(messages);
  if (lines.length === 0) {
    // It died with the prompt itself, which nobody was told to be accepted.
    assert.equal(resumed, null, at);
    return commits;
  }
  const order = lines.find((line) => /^toolResult: (?:ordered|.*may or may not)/.test(line));
  const hasFollowUp = lines.includes("user: and then?");
  const expected = [
    "user: go",
    "assistant: [toolCall][toolCall][toolCall]",
    "toolResult: slow",
    order,
    "toolResult: seen",
    "assistant: all done",
    ...(hasFollowUp ? ["user: and then?", "assistant: the end"] : []),
  ];
  assert.deepEqual(lines, expected, at);
  assert.ok(!JSON.stringify(messages).includes("synthetic"), at);
  assert.ok(world.unsafe <= 1, `${at}: unsafe ran ${world.unsafe} times`);
  assert.ok(order === undefined || world.unsafe === 1 || order.includes("may or may not"), at);
  assert.ok(world.safe >= 1 && world.slow >= 1, at);
  assert.ok(hasFollowUp, at);
  assert.deepEqual(second.harness.queues.list(), [], at);
  assert.equal(await second.harness.resume(), null, at);
  await again.close();
  return commits;
}

/** Runs that were cut off (F096). */
export const resumeCases: readonly HarnessCase[] = [
  {
    name: "death at every commit of a run with tools and a follow-up: resume ends it, unsafe tools ran once at most (F096)",
    async run(made) {
      const commits = await dieAndResume(made, null);
      assert.ok(commits >= 9, `${commits} commits`);
      for (let at = 1; at <= commits; at++) {
        for (const moment of ["before", "after"] as const) {
          await dieAndResume(made, { at, moment });
        }
      }
    },
  },
  {
    name: "a run that the guard had stopped when it died is ended, and asks the model nothing more (F070, F096)",
    async run(made) {
      const again = { calls: [{ name: "echo", arguments: {} }] };
      const rules = { tools: [tool("echo", undefined, { replay: "safe" })], maxTurns: 2 };
      let isOver = false;
      for (let at = 1; !isOver; at++) {
        const dying = new DyingStore(made.store);
        const session = await Session.attach(await dying.create({ cwd: "/project" }));
        dying.death = { at, moment: "before" };
        const first = await makeRig(made, {
          ...rules,
          session,
          steps: [again, again],
          isChecked: false,
        });
        const { outcome } = await first.harness.prompt("go");
        isOver = outcome === "turn-limit";
        const isStopped = first.trace.some((line) => line.startsWith("message_end custom"));
        const reopened = await Session.attach(await (await made.reopen()).open(session.id));
        const { messages } = await reopened.context();
        if (!isOver && messages.at(-1)?.role === "custom") {
          const second = await makeRig(made, { ...rules, session: reopened });
          assert.equal((await second.harness.resume())?.outcome, "turn-limit", `commit ${at}`);
          assert.equal((await reopened.context()).messages.length, messages.length);
          assert.equal(await second.harness.resume(), null);
        }
        assert.ok(!isOver || isStopped);
      }
    },
  },
  {
    name: "what calls asked for before a crash counts after it: all of them asked for the end",
    async run(made) {
      for (const last of [true, false]) {
        const dying = new DyingStore(made.store);
        const session = await Session.attach(await dying.create({ cwd: "/project" }));
        const tools = [
          tool("first", async () => ({ content: [], terminate: true }), { replay: "safe" }),
          tool(
            "second",
            async () => {
              await new Promise((resolve) => setImmediate(resolve));
              return { content: [], terminate: last };
            },
            { replay: "safe" },
          ),
        ];
        const models = createScriptedModel([
          { calls: [call("c1", "first"), call("c2", "second")] },
          { text: "asked again" },
        ]);
        const model = { provider: models.info.provider, modelId: models.info.modelId };
        const first = await createHarness({ session, models, model, tools });
        // Prompt, answer, calls, the first result: it dies with the second one.
        dying.death = { at: 5, moment: "before" };
        await first.prompt("go");
        await first.close();
        await session.close();
        const again = await Session.attach(await (await made.reopen()).open(session.id));
        const second = await createHarness({ session: again, models, model, tools });
        const resumed = await second.resume();
        assert.equal(resumed?.outcome, last ? "stopped" : "done");
        assert.equal(models.remaining, last ? 1 : 0);
        await again.close();
      }
    },
  },
  {
    name: "a prompt instead of a resume: calls that a crash cut off get their results in its commit, none is made again",
    async run(made) {
      for (const death of [3, 4, 5, 6, 7]) {
        const world: World = { unsafe: 0, safe: 0, slow: 0 };
        const dying = new DyingStore(made.store);
        const session = await Session.attach(await dying.create({ cwd: "/project" }));
        const first = await live(world, session);
        dying.commits = 0;
        dying.death = { at: death, moment: "before" };
        await first.harness.prompt("go");
        await first.harness.close();
        await session.close();
        const before = { ...world };
        const rig = await makeRig(made, {
          session: await Session.attach(await (await made.reopen()).open(session.id)),
          steps: [{ text: "hello" }, { text: "and then" }],
          queueModes: { steer: "all", followUp: "all" },
        });
        const result = await rig.harness.prompt("something else");
        assert.equal(result.outcome, "done", `${death}`);
        const { messages } = await rig.session.context();
        assert.ok(!JSON.stringify(messages).includes("synthetic"), `${death}`);
        assert.deepEqual(world, before);
        const lines = texts(messages);
        const at = lines.indexOf("user: something else");
        assert.deepEqual(
          messages.slice(2, at).map(({ role }) => role),
          ["toolResult", "toolResult", "toolResult"],
        );
        assert.equal(await rig.harness.resume(), null);
        // They are told like all other messages.
        const told = rig.trace.filter((line) => line.startsWith("message_end toolResult"));
        assert.ok(told.length > 0, `${death}`);
        assert.equal(rig.trace.filter((line) => line === "message_end user").length >= 1, true);
        await rig.session.close();
      }
    },
  },
  {
    name: "a run that was killed after others made it go on as a branch of its own is found there (P6, F096)",
    async run(made) {
      const world: World = { unsafe: 0, safe: 0, slow: 0 };
      for (const at of [4, 5, 6]) {
        const dying = new DyingStore(made.store);
        const session = await Session.attach(await dying.create({ cwd: "/project" }));
        const foreign = await Session.attach(await (await made.reopen()).open(session.id));
        const models = createScriptedModel([{ calls: [call("c1", "meets")] }, { text: "end" }]);
        const model = { provider: models.info.provider, modelId: models.info.modelId };
        const meets = tool(
          "meets",
          async () => {
            await foreign.refresh();
            if (world.safe++ % 2 === 0) {
              const message = { role: "user", content: "foreign" };
              await foreign.append({ type: "message", message });
            }
            return said("met");
          },
          { replay: "safe" },
        );
        world.safe = 0;
        const tools = [meets];
        const first = await createHarness({ session, models, model, tools });
        dying.death = { at, moment: "before" };
        await first.prompt("go");
        await first.close();
        await session.close();
        const again = await Session.attach(await (await made.reopen()).open(session.id));
        const second = await createHarness({ session: again, models, model, tools });
        const resumed = await second.resume();
        assert.ok(resumed !== null || at > 6, `${at}`);
        const lines = texts((await again.context()).messages);
        if (again.branch !== "main") {
          const whole = ["user: go", "assistant: [toolCall]", "toolResult: met", "assistant: end"];
          assert.deepEqual(lines, whole, `${at}`);
        }
        await again.close();
      }
    },
  },
  {
    name: "resume where nothing was cut off: null, or a run with what waits in the queues",
    async run(made) {
      const world: World = { unsafe: 0, safe: 0, slow: 0 };
      const session = await Session.attach(await made.store.create({ cwd: "/project" }));
      const { harness } = await live(world, session);
      assert.equal(await harness.resume(), null);
      await harness.prompt("go");
      assert.equal(await harness.resume(), null);
      assert.equal(harness.state, "idle");
    },
  },
];
