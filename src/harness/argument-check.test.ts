import assert from "node:assert/strict";
import { test } from "node:test";
import { argumentsFault } from "./argument-check.ts";

const schema = {
  type: "object",
  properties: {
    path: { type: "string", minLength: 1, maxLength: 5 },
    mode: { enum: ["read", "write"] },
    only: { const: 7 },
    count: { type: "integer", minimum: 1, maximum: 3 },
    tags: { type: "array", items: { type: "string" }, minItems: 1, maxItems: 2 },
    where: { type: "object", properties: { x: { type: "number" } }, additionalProperties: false },
    either: { anyOf: [{ type: "null" }, { type: "boolean" }] },
    one: { oneOf: [{ type: "string" }, { type: "number", minimum: 5 }] },
    odd: { type: "wood" },
    maybe: { type: ["string", "null"] },
  },
  required: ["path"],
};

const fault = (args: Readonly<Record<string, unknown>>): string | null =>
  argumentsFault(schema, { path: "a", ...args });

test("arguments that fit are accepted, also members that the schema does not name", () => {
  const args = { mode: "read", only: 7, count: 3, tags: ["a", "b"], where: { x: 1.5 } };
  assert.equal(fault({ ...args, either: null, one: 5, odd: {}, maybe: null, more: 1 }), null);
  assert.equal(argumentsFault({}, { anything: [] }), null);
  assert.equal(argumentsFault({ type: "object", required: [5], items: 3, anyOf: [] }, {}), null);
});

const wrong: readonly (readonly [Readonly<Record<string, unknown>>, RegExp])[] = [
  [{ path: 5 }, /^arguments\.path must be string$/],
  [{ path: "" }, /path must have at least 1 characters/],
  [{ path: "🙂🙂🙂🙂🙂🙂" }, /path must have at most 5 characters/],
  [{ mode: "delete" }, /mode must be one of \["read","write"\]/],
  [{ only: 8 }, /only must be 7/],
  [{ count: 1.5 }, /count must be integer/],
  [{ count: 0 }, /count must have at least 1$/],
  [{ count: 4 }, /count must have at most 3$/],
  [{ tags: [] }, /tags must have at least 1 items/],
  [{ tags: ["a", 5] }, /tags\[1\] must be string/],
  [{ where: [] }, /where must be object/],
  [{ where: { x: "1", y: 2 } }, /where\.x must be number\narguments\.where\.y is not known/],
  [{ either: "x" }, /either fits none of the choices/],
  [{ one: 4 }, /one fits none of the choices \(.*at least 5/],
  [{ maybe: 1 }, /maybe must be string or null/],
];

for (const [args, message] of wrong) {
  test(`refused: ${JSON.stringify(args)}`, () => {
    assert.match(fault(args) ?? "", message);
  });
}

test("members of the prototype are no members of the arguments or the schema", () => {
  assert.match(argumentsFault({ required: ["toString"] }, {}) ?? "", /toString is missing/);
  const closed = { properties: {}, additionalProperties: false };
  assert.match(argumentsFault(closed, { constructor: 1 }) ?? "", /constructor is not known/);
  assert.match(
    argumentsFault({ additionalProperties: { type: "string" } }, { a: 1 }) ?? "",
    /a must/,
  );
});

test("a long list of complaints is cut; arguments of any depth are safe", () => {
  const many = Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`m${at}`, at]));
  const said = argumentsFault({ additionalProperties: false }, many) ?? "";
  assert.equal(said.split("\n").length, 9);
  assert.match(said, /and 22 more$/);
  let deep: unknown = 1;
  for (let level = 0; level < 50_000; level++) deep = { deep };
  assert.equal(argumentsFault({ type: "object" }, { deep }), null);
});
