/**
 * `npm run demo:04`: compaction. A summary takes the place of older messages; what it does not say any more is
 * listed, what is gone from the context is found again, and the whole is taken back.
 */
import { createMemoryStore, Session } from "branchline";
import { compact, extractiveSummariser, isRefusal, recall } from "branchline/harness";
import { brief, heading, remark, row, textOf } from "./print.ts";

async function show(session: Session): Promise<void> {
  const { messages, tokens } = await session.context();
  for (const message of messages) {
    const text = "content" in message ? textOf(message.content) : "";
    const summary = "summary" in message ? String(message.summary) : text;
    row(message.role, brief(summary));
  }
  remark(`about ${tokens} tokens`);
}

await using store = createMemoryStore();
await using session = await Session.attach(await store.create({ cwd: "/demo" }));
await session.append([
  { type: "message", message: { role: "user", content: "我们要给会话做缓存，先定目标。" } },
  {
    type: "message",
    message: {
      role: "user",
      content: `Decision: we keep sessions in src/cache/store.ts, 250 ms at most. ${"Many words about it. ".repeat(60)}The ticket is CACHE_4711.`,
    },
  },
  { type: "message", message: { role: "user", content: "And the tests? ".repeat(80) } },
  { type: "message", message: { role: "user", content: "What is next?" } },
]);

heading("Before");
await show(session);
const done = await compact(session, {
  reason: "manual",
  contextWindow: 32_000,
  keep: { messages: 1 },
  summariser: extractiveSummariser(),
  model: null,
});
if (isRefusal(done)) {
  console.error(done.message);
  process.exit(1);
}
heading("The compaction");
row("tokensBefore", done.tokensBefore);
row("tokensAfter", done.tokensAfter);
row("summary", brief(done.entry.summary.split("\n").slice(2).join(" ")));
for (const { kind, text } of done.loss.items) row(`lost: ${kind}`, brief(text));
heading("What the model sees now");
await show(session);
heading("recall “CACHE_4711”");
for (const { excerpt } of await recall(session, { query: "CACHE_4711" }))
  row("found", excerpt.text);
await session.uncompact();
heading("After uncompact");
await show(session);
