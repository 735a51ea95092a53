import assert from "node:assert/strict";
import { test } from "node:test";
import { safeLink } from "./safe-link.ts";

test("S5: only http, https and mailto get through, after hidden characters are gone", () => {
  assert.equal(safeLink("https://example.org/a?b=1"), "https://example.org/a?b=1");
  assert.equal(safeLink("mailto:a@example.org"), "mailto:a@example.org");
  for (const address of [
    "javascript:alert(1)",
    "JaVaScRiPt:alert(1)",
    "java\nscript:alert(1)",
    " \u0001javascript:alert(1)",
    "\u200bjavascript:alert(1)",
    "vbscript:x",
    "data:text/html,<script>1</script>",
    "file:///etc/passwd",
    "blob:https://example.org/1",
    "/\\evil.example",
    "//evil.example",
    "https:\\\\evil.example",
    "/api/login",
    "#token=1",
    "",
  ]) {
    assert.equal(safeLink(address), null, JSON.stringify(address));
  }
});
