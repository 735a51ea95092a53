import assert from "node:assert/strict";
import { test } from "node:test";
import { formatRoute, HOME, parseRoute } from "../app/route.ts";
import { filterOf, isNarrowed, type LibraryFilter, NO_FILTER, routeOf } from "./library-filter.ts";

const FULL: LibraryFilter = {
  ...{ shelf: "archived", project: "/a b/项目", agent: "pi", model: "m/1", label: "决定 & more" },
  ...{ days: 7, flags: ["running", "secrets"], sort: "bytes" },
};

test("a filter and its address are the same thing", () => {
  const address = formatRoute({ ...HOME, ...routeOf(FULL) });
  assert.deepEqual(filterOf(parseRoute(address.slice(1))), FULL);
  assert.equal(formatRoute({ ...HOME, ...routeOf(NO_FILTER) }), "/");
  assert.deepEqual(filterOf(HOME), NO_FILTER);
});

test("what an address says that is not known is not there", () => {
  const route = parseRoute("?shelf=attic&days=-1&flags=evil,unread&sort=luck");
  assert.deepEqual(filterOf(route), { ...NO_FILTER, flags: ["unread"] });
});

test("the filter stays in the address of the library only", () => {
  const route = { ...HOME, ...routeOf(FULL), screen: "workspace", session: "s" } as const;
  assert.equal(formatRoute(route), "/?screen=workspace&session=s");
});

test("the shelf and the order leave nothing out", () => {
  assert.equal(isNarrowed({ ...NO_FILTER, shelf: "archived", sort: "cost" }), false);
  assert.equal(isNarrowed({ ...NO_FILTER, days: 0 }), true);
  assert.equal(isNarrowed({ ...NO_FILTER, flags: ["unread"] }), true);
  assert.equal(isNarrowed({ ...NO_FILTER, label: "x" }), true);
});
