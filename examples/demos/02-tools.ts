/**
 * `npm run demo:02`: tools. The model reads a note in a fenced folder; one call is blocked by a permission
 * hook, one is rewritten, and a path that leads out of the folder is refused by the folder itself.
 */
import { writeFileSync } from "node:fs";
import path from "node:path";
import { createMemoryStore, Session } from "branchline";
import {
  createDemoTools,
  createHarness,
  createOfflineModel,
  type Harness,
  NodeWorkspace,
} from "branchline/harness";
import { temporaryFolder } from "./folders.ts";
import { brief, heading, row, textOf } from "./print.ts";

using place = temporaryFolder();
const { folder } = place;
writeFileSync(path.join(folder, "note.md"), "缓存方案 A：进程内缓存。\n");

function tell(harness: Harness): void {
  harness.subscribe((event) => {
    if (event.type === "tool_permission") row("tool_permission", event.permission.decision);
    if (event.type === "tool_execution_start") {
      row("tool_start", `${event.name} ${JSON.stringify(event.arguments)}`);
    }
    if (event.type !== "message_end") return;
    const { message } = event;
    const text = "content" in message ? brief(textOf(message.content)) : "";
    const isCall = message.role === "assistant" && text.startsWith("→");
    if (isCall) row("toolCall", text);
    else if (message.role === "toolResult") row("tool_result", text);
    else if (message.role === "assistant") row("final answer", text);
  });
}

await using store = createMemoryStore();
await using session = await Session.attach(await store.create({ cwd: folder }));
await using harness = await createHarness({
  session,
  models: createOfflineModel(),
  model: { provider: "offline", modelId: "offline-1" },
  tools: createDemoTools(new NodeWorkspace({ root: folder })),
  permission({ name, arguments: given }) {
    if (name === "write_note") return { decision: "block", reason: "this demo writes nothing" };
    if (given.path === "secret.md") return { decision: "rewrite", arguments: { path: "note.md" } };
    return { decision: "allow" };
  },
});
tell(harness);

heading("Allowed: read note.md");
await harness.prompt("Read note.md");
heading("Rewritten: secret.md becomes note.md");
await harness.prompt("Read secret.md");
heading("Blocked: write a note");
await harness.prompt("Write a note to idea.md: use an index");
heading("Refused: a path that leads out of the folder");
const [, read] = createDemoTools(new NodeWorkspace({ root: folder }));
const context = { callId: "1", signal: new AbortController().signal, onUpdate: () => undefined };
const refused = await read
  ?.execute({ path: "../../etc/passwd" }, context)
  .catch((error: Error & { readonly code?: string }) => error);
row("../../etc/passwd", refused instanceof Error ? `${refused.code}` : "IT WAS READ");
if (!(refused instanceof Error)) process.exitCode = 1;
