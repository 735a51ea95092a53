import assert from "node:assert/strict";
import { test } from "node:test";
import { FollowQueue } from "./follow-queue.ts";

const done = { value: undefined, done: true };
const given = (value: number): object => ({ value, done: false });

test("what is pushed is read in order, before and after the reader waits", async () => {
  const queue = new FollowQueue<number>();
  queue.push(1);
  queue.push(2);
  assert.deepEqual(await queue.next(), given(1));
  assert.deepEqual(await queue.next(), given(2));
  const waiting = [queue.next(), queue.next(), queue.next()];
  for (const value of [3, 4, 5]) queue.push(value);
  assert.deepEqual(await Promise.all(waiting), [3, 4, 5].map(given));
});

test("an end lets the reader have the rest, then stays done", async () => {
  let ends = 0;
  const queue = new FollowQueue<number>({ onEnd: () => ends++ });
  queue.push(1);
  queue.push(2);
  await queue.next();
  queue.end();
  queue.push(3);
  queue.end();
  assert.ok(queue.ended);
  assert.deepEqual(await queue.next(), given(2));
  assert.deepEqual(await queue.next(), done);
  assert.deepEqual(await queue.next(), done);
  assert.equal(ends, 1);
});

test("an end wakes all that wait", async () => {
  const queue = new FollowQueue<number>();
  const waiting = [queue.next(), queue.next()];
  queue.end();
  assert.deepEqual(await Promise.all(waiting), [done, done]);
});

test("a signal ends it at once and drops the rest", async () => {
  const controller = new AbortController();
  let ends = 0;
  const queue = new FollowQueue<number>({ signal: controller.signal, onEnd: () => ends++ });
  queue.push(1);
  controller.abort();
  assert.deepEqual(await queue.next(), done);
  assert.equal(ends, 1);
  const late = new FollowQueue<number>({ signal: controller.signal, onEnd: () => ends++ });
  assert.ok(late.ended);
  late.push(1);
  assert.deepEqual(await late.next(), done);
  assert.equal(ends, 2);
});

test("a reader that breaks off ends it and drops the rest", async () => {
  let ends = 0;
  const queue = new FollowQueue<number>({ onEnd: () => ends++ });
  for (const value of [1, 2, 3]) queue.push(value);
  for await (const value of queue) {
    assert.equal(value, 1);
    break;
  }
  assert.equal(ends, 1);
  assert.deepEqual(await queue.next(), done);
  assert.deepEqual(await queue.return(), done);
});

test("breaking off after the end drops the rest, too", async () => {
  const queue = new FollowQueue<number>();
  queue.push(1);
  queue.end();
  await queue.return();
  assert.deepEqual(await queue.next(), done);
});

test("a failure comes once, behind what was pushed before", async () => {
  const queue = new FollowQueue<number>();
  const failure = new RangeError("x");
  queue.push(1);
  queue.fail(failure);
  queue.fail(new RangeError("too late"));
  assert.deepEqual(await queue.next(), given(1));
  await assert.rejects(queue.next(), failure);
  assert.deepEqual(await queue.next(), done);
});

test("a failure reaches the first that waits, the others are done", async () => {
  const queue = new FollowQueue<number>();
  const waiting = [queue.next(), queue.next()];
  queue.fail(new RangeError("x"));
  await assert.rejects(waiting[0] ?? Promise.resolve(), RangeError);
  assert.deepEqual(await waiting[1], done);
});

test("a failure that nobody reads is dropped with the reader", async () => {
  const queue = new FollowQueue<number>();
  queue.fail(new RangeError("x"));
  await queue.return();
  assert.deepEqual(await queue.next(), done);
});

test("a million events are pushed and read in linear time", async () => {
  const queue = new FollowQueue<number>();
  const count = 1_000_000;
  for (let value = 0; value < count; value++) queue.push(value);
  queue.end();
  let next = 0;
  for await (const value of queue) assert.equal(value, next++);
  assert.equal(next, count);
});

test("no listener is left on the signal", async () => {
  const controller = new AbortController();
  let listeners = 0;
  const { signal } = controller;
  const add = signal.addEventListener.bind(signal);
  const remove = signal.removeEventListener.bind(signal);
  signal.addEventListener = (...all: Parameters<typeof add>) => {
    listeners++;
    add(...all);
  };
  signal.removeEventListener = (...all: Parameters<typeof remove>) => {
    listeners--;
    remove(...all);
  };
  const queue = new FollowQueue<number>({ signal });
  assert.equal(listeners, 1);
  await queue.return();
  assert.equal(listeners, 0);
});
