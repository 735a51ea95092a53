import assert from "node:assert/strict";
import { test } from "node:test";
import { Listeners } from "./listeners.ts";
import { OperationGate } from "./operation.ts";

test("one operation at a time; the next may begin when it has left, before its last event is told", async () => {
  const gate = new OperationGate(new Listeners());
  const first = gate.enter("running");
  assert.throws(() => gate.enter("navigating"), {
    code: "HARNESS_BUSY",
    fields: { doing: "running" },
  });
  first.leave();
  const second = gate.enter("compacting");
  first.finish();
  assert.equal(gate.current, second);
  second.finish();
  assert.equal(gate.current, null);
});

test("idle waits for everything, also for what began meanwhile", async () => {
  const gate = new OperationGate(new Listeners());
  const order: string[] = [];
  const first = gate.enter("running");
  const idle = gate.idle().then(() => order.push("idle"));
  first.leave();
  const second = gate.enter("running");
  first.finish();
  await first.over;
  await Promise.resolve();
  order.push("second");
  second.finish();
  await idle;
  assert.deepEqual(order, ["second", "idle"]);
  await gate.idle();
});
