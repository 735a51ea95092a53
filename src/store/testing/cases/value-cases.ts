import assert from "node:assert/strict";
import type { ValueScope } from "../../store.ts";
import type { ContractCase } from "../contract.ts";
import { json, refused } from "../expect.ts";

const group = "values";

const NAMES = [
  "k",
  "",
  "a/b",
  "../../x",
  "a\\b",
  "CON",
  "%2e%2e",
  "键",
  "😀",
  "__proto__",
  "constructor",
  "a\u0000b",
  "\n",
  "x".repeat(500),
  "K",
];
const VALUES: readonly unknown[] = [
  null,
  true,
  0,
  -1.5,
  "",
  "文",
  "\ud800",
  [],
  {},
  [1, [null]],
  { a: { b: ["c"] } },
];

/** Values beside the sessions. */
export const valueCases: readonly ContractCase[] = [
  {
    group,
    name: "any JSON value comes back",
    async run({ store: { values } }) {
      const scope = { resource: "r" };
      assert.equal(await values.get(scope, "k"), undefined);
      for (const value of VALUES) {
        await values.set(scope, "k", value);
        assert.deepEqual(json(await values.get(scope, "k")), value);
      }
    },
  },
  {
    group,
    name: "a `__proto__` member comes back and reaches no prototype (row 15)",
    async run({ store: { values } }) {
      const text = '{"__proto__":{"polluted":1}}';
      await values.set({ resource: "r" }, "k", JSON.parse(text));
      assert.equal(JSON.stringify(await values.get({ resource: "r" }, "k")), text);
      assert.equal(({} as { polluted?: unknown }).polluted, undefined);
    },
  },
  {
    group,
    name: "a later value replaces the earlier one; deleting removes it",
    async run({ store: { values } }) {
      const scope = { resource: "r" };
      await values.set(scope, "k", { long: "x".repeat(1000) });
      await values.set(scope, "k", 1);
      assert.equal(await values.get(scope, "k"), 1);
      await values.delete(scope, "k");
      assert.equal(await values.get(scope, "k"), undefined);
      assert.deepEqual(await values.keys(scope), []);
      await values.delete(scope, "k");
      await values.delete({ resource: "nowhere" }, "k");
    },
  },
  {
    group,
    name: "keys are any text, sorted by code point (P10)",
    async run({ store: { values } }) {
      const scope = { resource: "r" };
      const names = [...NAMES, "\uffff", "z"];
      for (const [index, name] of names.entries()) await values.set(scope, name, index);
      for (const [index, name] of names.entries())
        assert.equal(await values.get(scope, name), index);
      const points = (text: string): number[] => Array.from(text, (c) => c.codePointAt(0) ?? 0);
      const sorted = names.toSorted((a, b) => {
        const [left, right] = [points(a), points(b)];
        const at = left.findIndex((point, index) => point !== right[index]);
        return at === -1 ? left.length - right.length : (left[at] ?? 0) - (right[at] ?? -1);
      });
      assert.deepEqual(await values.keys(scope), sorted);
    },
  },
  {
    group,
    name: "scopes are apart, whatever their names",
    async run({ store: { values } }) {
      const scopes: ValueScope[] = [
        { session: "a" },
        { session: "b" },
        ...NAMES.map((resource) => ({ resource })),
        { resource: "a" },
        { resource: "session:a" },
        { resource: "A" },
      ];
      for (const [index, scope] of scopes.entries()) await values.set(scope, "k", index);
      for (const [index, scope] of scopes.entries()) {
        assert.equal(await values.get(scope, "k"), index);
        assert.deepEqual(await values.keys(scope), ["k"]);
      }
      await values.delete(scopes[0] as ValueScope, "k");
      assert.deepEqual(await values.keys(scopes[0] as ValueScope), []);
      assert.equal(await values.get(scopes[1] as ValueScope, "k"), 1);
    },
  },
  {
    group,
    name: "what JSON cannot hold is ENTRY_INVALID and changes nothing",
    async run({ store: { values } }) {
      const scope = { resource: "r" };
      const circle: { self?: unknown } = {};
      circle.self = circle;
      await values.set(scope, "k", "old");
      for (const value of [undefined, () => 1, Symbol("x"), 1n, circle, [1n]]) {
        await refused("ENTRY_INVALID", () => values.set(scope, "k", value));
      }
      assert.equal(await values.get(scope, "k"), "old");
      assert.deepEqual(await values.keys(scope), ["k"]);
    },
  },
  {
    group,
    name: "what the caller changes later has no effect",
    async run({ store: { values } }) {
      const scope = { resource: "r" };
      const value = { list: [1] };
      const set = values.set(scope, "k", value);
      value.list.push(2);
      await set;
      value.list.push(3);
      assert.deepEqual(json(await values.get(scope, "k")), { list: [1] });
    },
  },
  {
    group,
    name: "50 sets at the same time all count",
    async run({ store: { values } }) {
      const scope = { session: "s" };
      await Promise.all(Array.from({ length: 50 }, (_, n) => values.set(scope, `k${n}`, n)));
      assert.equal((await values.keys(scope)).length, 50);
      for (let n = 0; n < 50; n++) assert.equal(await values.get(scope, `k${n}`), n);
    },
  },
  {
    group,
    name: "of sets of one key at the same time the last call stands",
    async run({ store: { values } }) {
      const scope = { session: "s" };
      await Promise.all(Array.from({ length: 30 }, (_, n) => values.set(scope, "k", { n })));
      assert.deepEqual(json(await values.get(scope, "k")), { n: 29 });
    },
  },
  {
    group,
    name: "values are there after a reopen",
    needs: ["durable"],
    async run({ store, reopen }) {
      await store.values.set({ resource: "r" }, "k", { a: 1 });
      await store.values.set({ session: "s" }, "k", [2]);
      await store.values.set({ session: "s" }, "gone", [2]);
      await store.values.delete({ session: "s" }, "gone");
      await store.close();
      const { values } = await reopen();
      assert.deepEqual(json(await values.get({ resource: "r" }, "k")), { a: 1 });
      assert.deepEqual(json(await values.get({ session: "s" }, "k")), [2]);
      assert.deepEqual(await values.keys({ session: "s" }), ["k"]);
    },
  },
];
