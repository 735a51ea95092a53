import assert from "node:assert/strict";
import { test } from "node:test";
import { BranchlineError } from "../errors.ts";
import { age, parseSince } from "./age.ts";
import { render, styled, wantsColor } from "./color.ts";
import { EXIT_CODES, exitCodeOf } from "./exit-code.ts";
import { describeError } from "./output.ts";
import { shortIds } from "./short-ids.ts";

test("colours: a terminal yes; a pipe, --plain, NO_COLOR no; FORCE_COLOR yes", () => {
  const ask = (env: Record<string, string>, isTerminal: boolean, plain = false): boolean =>
    wantsColor({ env, isTerminal, plain });
  assert.equal(ask({}, true), true);
  assert.equal(ask({}, false), false);
  assert.equal(ask({ NO_COLOR: "1" }, true), false);
  assert.equal(ask({ NO_COLOR: "" }, true), true);
  assert.equal(ask({ TERM: "dumb" }, true), false);
  assert.equal(ask({ FORCE_COLOR: "1" }, false), true);
  assert.equal(ask({ FORCE_COLOR: "0" }, true), false);
  assert.equal(ask({}, true, true), false);
});

test("only our own styles make escape sequences", () => {
  const piece = styled("id", "\x1b[31mred");
  assert.equal(render([piece, "\x07"], { color: false }), "\\x1b[31mred\\x07");
  const colored = render([piece], { color: true });
  assert.equal(colored, "\x1b[33m\\x1b[31mred\x1b[39m");
});

test("every error code has an exit code", () => {
  assert.ok(Object.values(EXIT_CODES).every((code) => code >= 1 && code <= 4));
  const error = new BranchlineError("STORE_BUSY", { owner: null, waitedMs: 5 }, { message: "x" });
  assert.equal(exitCodeOf(error), 4);
  assert.equal(exitCodeOf(new Error("x")), 1);
  assert.deepEqual(describeError(error).error.fields, { owner: null, waitedMs: 5 });
  assert.equal(describeError("odd").error.code, "INTERNAL");
});

test("short ids tell ids apart", () => {
  const ids = shortIds(["aaaaaaaaaa1", "aaaaaaaaaa2", "bbbbbbbbbbbb", "c"]);
  assert.equal(ids.short("aaaaaaaaaa1"), "aaaaaaaaaa1");
  assert.equal(ids.short("bbbbbbbbbbbb"), "bbbbbbbb");
  assert.equal(ids.short("c"), "c");
  assert.equal(ids.short("unknown-id"), "unknown-id");
});

test("ages and times", () => {
  const now = Date.parse("2026-11-29T12:00:00Z");
  assert.equal(age("2026-11-29T11:55:00Z", now), "5m");
  assert.equal(age("2026-11-22T11:55:00Z", now), "1w");
  assert.equal(age("2027-01-01T00:00:00Z", now), "now");
  assert.equal(age("nonsense", now), "?");
  assert.equal(parseSince("12h", now), "2026-11-29T00:00:00.000Z");
  assert.equal(parseSince("2026-11-01", now), "2026-11-01T00:00:00.000Z");
  assert.throws(() => parseSince("soon", now), { code: "USAGE" });
});
