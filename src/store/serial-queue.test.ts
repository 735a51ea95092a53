import assert from "node:assert/strict";
import { test } from "node:test";
import { SerialQueue } from "./serial-queue.ts";

test("tasks run one after the other, in the order of the calls", async () => {
  const queue = new SerialQueue();
  const log: string[] = [];
  const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const tasks = gates.map((gate, index) =>
    queue.run(async () => {
      log.push(`begin ${index}`);
      await gate.promise;
      log.push(`end ${index}`);
      return index;
    }),
  );
  gates[1]?.resolve();
  gates[0]?.resolve();
  assert.deepEqual(await Promise.all(tasks), [0, 1]);
  assert.deepEqual(log, ["begin 0", "end 0", "begin 1", "end 1"]);
});

test("a task that fails holds up none; its failure is its caller's", async () => {
  const queue = new SerialQueue();
  const failed = queue.run(() => Promise.reject(new RangeError("x")));
  const thrown = queue.run(() => {
    throw new RangeError("y");
  });
  const fine = queue.run(() => 7);
  await assert.rejects(failed, RangeError);
  await assert.rejects(thrown, RangeError);
  assert.equal(await fine, 7);
});

test("a task whose signal is aborted before its turn never runs", async () => {
  const queue = new SerialQueue();
  const gate = Promise.withResolvers<void>();
  const controller = new AbortController();
  let ran = 0;
  const first = queue.run(() => gate.promise);
  const second = queue.run(() => ran++, controller.signal);
  const third = queue.run(() => ran++);
  controller.abort();
  gate.resolve();
  await first;
  await assert.rejects(second, { code: "ABORTED" });
  await third;
  assert.equal(ran, 1);
});

test("idle resolves behind everything asked for so far", async () => {
  const queue = new SerialQueue();
  await queue.idle();
  let ran = 0;
  const task = queue.run(() => ran++);
  await queue.idle();
  assert.equal(ran, 1);
  await task;
});
