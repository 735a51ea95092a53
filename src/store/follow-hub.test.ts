import assert from "node:assert/strict";
import { test } from "node:test";
import type { Entry } from "../entry/entry.ts";
import { SessionTree } from "../tree/session-tree.ts";
import { divergences } from "./divergence.ts";
import { FollowHub } from "./follow-hub.ts";
import type { StoreEvent } from "./store.ts";
import { collect } from "./testing/expect.ts";

function entry(id: string, parentId: string | null, members: object = {}): Entry {
  return { type: "custom", customType: "c", ...members, id, parentId, timestamp: "" } as Entry;
}

function treeOf(entries: readonly Entry[]): SessionTree {
  const tree = new SessionTree("s");
  for (const one of entries) tree.add(one);
  return tree;
}

const start = { customType: "branchline.leaf", data: { session: "s", start: true } };

test("runs of own and foreign entries become an event each, diverged behind its entries", async () => {
  const entries = [
    entry("a", null),
    entry("b", "a"),
    entry("c", "a"),
    entry("d", "c"),
    entry("e", "d"),
  ];
  const hub = new FollowHub();
  assert.equal(hub.hasFollowers, false);
  const events = hub.follow();
  assert.equal(hub.hasFollowers, true);
  hub.publish(treeOf(entries), entries, new Set(["a", "d", "e"]));
  hub.publish(treeOf(entries), [], new Set());
  hub.close();
  assert.equal(hub.hasFollowers, false);
  const [a, b, c, d, e] = entries as [Entry, Entry, Entry, Entry, Entry];
  assert.deepEqual(await collect(events), [
    { type: "entries", entries: [a], foreign: false },
    { type: "entries", entries: [b, c], foreign: true },
    { type: "diverged", branch: "main", entryId: "c" },
    { type: "entries", entries: [d, e], foreign: false },
  ] satisfies StoreEvent[]);
});

test("a failure reaches every follower", async () => {
  const hub = new FollowHub();
  const followers = [hub.follow(), hub.follow()];
  hub.fail(new RangeError("x"));
  for (const follower of followers) await assert.rejects(collect(follower), RangeError);
  assert.equal(hub.hasFollowers, false);
});

test("a follower whose signal is aborted is none", () => {
  const hub = new FollowHub();
  hub.follow(AbortSignal.abort());
  assert.equal(hub.hasFollowers, false);
});

test("siblings on one branch diverge; starts, other branches and old leaf moves do not", () => {
  const entries = [
    entry("a", null),
    entry("b", "a"),
    entry("s", "a", start),
    entry("l", "a", { type: "leaf", targetId: "b" }),
    entry("t", "s"),
    entry("u", "s", start),
    entry("second", "s"),
    entry("root", null),
    entry("under the leaf move", "l"),
  ];
  assert.deepEqual(divergences(treeOf(entries), entries), [
    { type: "diverged", branch: "s", entryId: "second" },
    { type: "diverged", branch: "main", entryId: "root" },
  ]);
  assert.deepEqual(divergences(treeOf([]), [entry("not added", null)]), []);
});
