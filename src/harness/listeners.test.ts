import assert from "node:assert/strict";
import { test } from "node:test";
import type { HarnessEvent } from "./events.ts";
import { Listeners } from "./listeners.ts";
import { RunControl } from "./run-control.ts";

const event = (turn: number): HarnessEvent => ({ type: "turn_start", turn });

test("listeners are awaited in order; one that throws keeps no other from hearing", async () => {
  const listeners = new Listeners();
  const heard: string[] = [];
  listeners.subscribe(async () => {
    await new Promise((resolve) => setImmediate(resolve));
    heard.push("first");
  });
  listeners.subscribe(() => {
    heard.push("second");
    throw new Error("broken");
  });
  listeners.subscribe(() => {
    heard.push("third");
  });
  const failures = await listeners.tell(event(1));
  assert.deepEqual(heard, ["first", "second", "third"]);
  assert.equal(failures.length, 1);
});

test("a listener may take itself or others away while an event is told, and add some for the next one", async () => {
  const listeners = new Listeners();
  const heard: string[] = [];
  const stops: (() => void)[] = [];
  stops.push(
    listeners.subscribe(() => {
      heard.push("once");
      for (const stop of stops.splice(0)) stop();
      listeners.subscribe(() => {
        heard.push("added");
      });
    }),
    listeners.subscribe(() => {
      heard.push("never");
    }),
  );
  await listeners.tell(event(1));
  await listeners.tell(event(2));
  assert.deepEqual(heard, ["once", "added"]);
});

test("events of one operation are told one after the other; the first failure stands and aborts", async () => {
  const listeners = new Listeners();
  const control = new RunControl(listeners);
  const heard: number[] = [];
  listeners.subscribe(async (told) => {
    if (told.type !== "turn_start") return;
    for (let turn = 0; turn < 3 - told.turn; turn++) await Promise.resolve();
    heard.push(told.turn);
    throw new Error(`failure ${told.turn}`);
  });
  await Promise.all([control.tell(event(1)), control.tell(() => event(2)), control.tell(event(3))]);
  assert.deepEqual(heard, [1, 2, 3]);
  assert.equal(control.signal.aborted, true);
  assert.match(String(control.failure?.cause), /failure 1/);
});
