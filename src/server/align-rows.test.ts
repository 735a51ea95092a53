import assert from "node:assert/strict";
import { test } from "node:test";
import { type Alignable, alignRows } from "./align-rows.ts";

const rows = (text: string): readonly Alignable[] =>
  [...text].map((letter) => ({
    print: letter,
    role: letter === letter.toUpperCase() ? "user" : "assistant",
  }));

const shown = (left: string, right: string): string =>
  alignRows(rows(left), rows(right))
    .map(([one, other]) => `${one?.print ?? "-"}${other?.print ?? "-"}`)
    .join(" ");

test("equal rows stand in step, a row of each side with the same role is a change", () => {
  assert.equal(shown("AbCd", "AbCd"), "AA bb CC dd");
  assert.equal(shown("AbC", "AxC"), "AA bx CC");
  assert.equal(shown("Ab", "AbCd"), "AA bb -C -d");
  assert.equal(shown("AbCd", "Cd"), "A- b- CC dd");
  assert.equal(shown("", "Ab"), "-A -b");
  assert.equal(shown("Ax", "yA"), "-y AA x-");
  assert.equal(shown("Ab", "bC"), "A- bb -C");
});

test("two lists too long for the table are laid out in order, and at once", () => {
  const long = Array.from({ length: 3000 }, (_, at) => ({ print: `l${at}`, role: "user" }));
  const other = Array.from({ length: 3000 }, (_, at) => ({ print: `r${at}`, role: "user" }));
  assert.equal(alignRows(long, other).length, 3000);
});
