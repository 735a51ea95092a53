import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { withRouteTables } from "../../scripts/http-api.ts";
import { openApiDocument } from "../../src/server/openapi.ts";
import { ALL_ROUTES } from "../../src/server/routes/all-routes.ts";

const ROOT = path.resolve(import.meta.dirname, "../..");
const read = (file: string): string => readFileSync(path.join(ROOT, file), "utf8");

test("docs/http-api.md holds every route as it is", () => {
  const text = read("docs/http-api.md");
  assert.equal(text, withRouteTables(text), "run: node scripts/http-api.ts --write");
  for (const { method, path: where } of ALL_ROUTES) {
    assert.ok(text.includes(`\`${method.toUpperCase()} ${where}\``), where);
  }
});

test("docs/http-api.md names every event", () => {
  const text = read("docs/http-api.md");
  const types = [...read("src/protocol/event.ts").matchAll(/^ {2}([a-z_]+): \{/gm)];
  assert.ok(types.length > 30);
  for (const [, type = ""] of types) assert.ok(text.includes(`\`${type}\``), type);
});

test("the OpenAPI document is 3.1, has every route once, and names its shapes", () => {
  const document = openApiDocument(ALL_ROUTES, "1.2.3") as {
    openapi: string;
    paths: Record<string, Record<string, unknown>>;
    components: { schemas: Record<string, unknown> };
  };
  assert.equal(document.openapi, "3.1.0");
  const operations = Object.values(document.paths).flatMap((one) => Object.keys(one));
  assert.equal(operations.length, ALL_ROUTES.length);
  const wanted = [
    "SessionState",
    "TreeColumns",
    "PathWindow",
    "ContextView",
    "MoveAnswer",
    "ErrorBody",
  ];
  for (const name of wanted) assert.ok(name in document.components.schemas, name);
  const references = JSON.stringify(document).matchAll(/"#\/components\/schemas\/(\w+)"/g);
  for (const [, name = ""] of references) assert.ok(name in document.components.schemas, name);
});
