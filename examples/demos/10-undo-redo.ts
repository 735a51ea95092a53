/**
 * `npm run demo:10`: undo and redo. Moves, labels, names, hidden messages: everything is an operation in a log,
 * and is taken back by another one; nothing is ever removed.
 */
import { createMemoryStore, Session } from "branchline";
import { heading, row } from "./print.ts";

await using store = createMemoryStore();
await using session = await Session.attach(await store.create({ cwd: "/demo" }));
const say = (content: string): Promise<unknown> =>
  session.append({ type: "message", message: { role: "user", content } });

async function state(what: string): Promise<void> {
  const { messages } = await session.context();
  const texts = messages.map((message) => String(Object(message).content)).join(" | ");
  const labels = [...session.tree.labels().values()].map(({ label }) => label).join(", ");
  row(what, `${texts}   name: ${session.tree.name() ?? "-"}   labels: ${labels || "-"}`);
}

await say("缓存怎么做？");
const question = session.leaf;
await say("方案 A");
heading("Four operations");
await state("at the beginning");
await session.rename("缓存");
await state("rename");
await session.setLabel(question ?? "", "起点");
await state("label");
await session.moveLeaf(question);
await say("方案 B");
await state("move, and a turn");
await session.hide(question ?? "");
await state("hide");

heading("Undo, one after the other");
for (let left = 4; left > 0; left--) await state(`undo ${(await session.undo()).kind}`);
heading("And back");
for (let left = 4; left > 0; left--) await state(`redo ${(await session.redo()).kind}`);
heading("The log");
for (const { kind, summary, undone } of await session.operations()) {
  row(kind, `${summary}${undone ? "   (taken back)" : ""}`);
}
row("entries in all", session.tree.size);
