/**
 * `npm run demo:01`: the loop. One prompt, every event as it is told, the answer character by character.
 * What was told is on stable storage by then; here the store is in memory.
 */
import { createMemoryStore, Session } from "branchline";
import { createHarness, createOfflineModel } from "branchline/harness";
import { brief, heading, row, textOf } from "./print.ts";

await using store = createMemoryStore();
await using session = await Session.attach(await store.create({ cwd: "/demo" }));
await using harness = await createHarness({
  session,
  models: createOfflineModel(),
  model: { provider: "offline", modelId: "offline-1" },
  systemPrompt: "Answer briefly.",
});

heading("Events of one run");
let characters = 0;
harness.subscribe((event) => {
  switch (event.type) {
    case "message_update":
      if (event.event.type !== "text_delta") break;
      process.stdout.write(characters === 0 ? `    ${event.event.delta}` : event.event.delta);
      characters += event.event.delta.length;
      break;
    case "message_end":
      if (characters > 0 && event.message.role === "assistant") console.log();
      row("message_end", `${event.message.role} ${event.entryId}`);
      break;
    default:
      row(event.type, "");
  }
});
const { outcome } = await harness.prompt("Hello. What are you?");

heading("What came of it");
row("outcome", outcome);
row("streamed characters", characters);
const { messages, tokens } = await session.context();
for (const message of messages) {
  row(message.role, brief("content" in message ? textOf(message.content) : ""));
}
row("tokens", tokens);
