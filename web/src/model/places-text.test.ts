import assert from "node:assert/strict";
import { test } from "node:test";
import { placesText } from "./places-text.ts";

test("places are written as ranges", () => {
  assert.equal(placesText([]), "");
  assert.equal(placesText([3]), "3");
  assert.equal(placesText([1, 5, 9, 10, 11, 20]), "1,5,9-11,20");
});
