import assert from "node:assert/strict";
import { browserTests } from "./browser-test.ts";
import { type Budget, LIMITS, measureBudgets } from "./budgets.ts";
import { largeSession } from "./large-session.ts";

let session = "";

const browserTest = browserTests({
  prepare: async () => {
    const made = await largeSession(10_000);
    session = made.session;
    return { root: made.root };
  },
});

browserTest("10,000 entries: the budgets of the page", async (it) => {
  const figures = await measureBudgets(it, session, { until: "held" });
  const names = Object.keys(LIMITS) as Budget[];
  for (const name of names) console.log(`${name}: ${figures[name]} (limit ${LIMITS[name]})`);
  const broken = names.filter((name) => figures[name] > LIMITS[name]);
  assert.deepEqual(broken, []);
});
