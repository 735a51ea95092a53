import assert from "node:assert/strict";
import { test } from "node:test";
import type { Session } from "../session/session.ts";
import { add, compaction, newFixture, user } from "../session/testing/session-fixture.ts";
import { refused } from "../store/testing/expect.ts";
import { createRecallTool } from "./recall-tool.ts";
import type { ToolOutput } from "./tool.ts";

async function scene(): Promise<{ session: Session; ids: string[] }> {
  const { session } = await newFixture();
  const ids: string[] = [];
  ids.push(await add(session, user("The password of the printer is tulip-42.")));
  ids.push(await add(session, user(`A long story ${"x".repeat(3000)}`)));
  for (let n = 0; n < 5; n++) ids.push(await add(session, user(`filler ${n}`)));
  const kept = await add(session, user("Now 打印机 again."));
  await session.append(compaction(kept, "They spoke of a printer."));
  return { session, ids };
}

async function call(
  session: Session,
  args: Readonly<Record<string, unknown>>,
): Promise<ToolOutput> {
  const signal = new AbortController().signal;
  return createRecallTool(session).execute(args, {
    callId: "c",
    signal,
    onUpdate: () => undefined,
  });
}

const textOf = ({ content }: ToolOutput): string =>
  content.map((block) => ("text" in block ? String(block.text) : "")).join("");

test("what a compaction took out is found again, with the id to read on around it", async () => {
  const { session, ids } = await scene();
  const [first = ""] = ids;
  assert.ok(!JSON.stringify((await session.context()).messages).includes("tulip"));
  const found = textOf(await call(session, { query: "password printer" }));
  assert.match(found, new RegExp(`\\[${first}\\] .* user: .*tulip-42`));
  const around = textOf(await call(session, { entry: first, before: 0, after: 1 }));
  assert.match(around, /user:\nThe password of the printer is tulip-42\./);
  assert.match(around, /A long story x+\n\(cut: 3013 characters in all\)/);
  assert.equal(textOf(await call(session, { query: "unicorn" })), "Nothing was found.");
});

test("one of both has to be given; another session's entry is refused", async () => {
  const { session } = await scene();
  assert.equal((await call(session, {})).isError, true);
  await refused("TARGET_INVALID", () => call(session, { entry: "nobody" }));
});
