import assert from "node:assert/strict";
import { test } from "node:test";
import { formatRoute, HOME, parseRoute } from "./route.ts";

test("an address and its route are the same thing", () => {
  const route = {
    ...HOME,
    screen: "compare",
    session: "s-1",
    a: "~3",
    b: "中文 & b",
    mode: "context",
  } as const;
  assert.deepEqual(parseRoute(formatRoute(route).slice(1)), route);
  const library = { ...HOME, session: "s-1", label: "x" };
  assert.deepEqual(parseRoute(formatRoute(library).slice(1)), library);
  assert.equal(formatRoute(HOME), "/");
  assert.deepEqual(parseRoute(""), HOME);
});

test("unknown screens lead to the library, a session alone to the workspace; foreign parts are dropped", () => {
  assert.equal(parseRoute("?screen=nowhere").screen, "library");
  assert.equal(parseRoute("?session=x").screen, "workspace");
  assert.equal("evil" in parseRoute("?evil=1"), false);
});
