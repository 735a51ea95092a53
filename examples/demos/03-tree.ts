/**
 * `npm run demo:03`: the session tree of the tutorial. One question, one answer, then two branches;
 * each leaf has a context of its own, and the model never sees the other branch.
 */
import { createMemoryStore, type EntryDraft, Session } from "branchline";

let count = 0;

function user(content: string): EntryDraft {
  return { type: "message", id: `entry_${++count}`, message: { role: "user", content } };
}

function assistant(text: string): EntryDraft {
  const content = [{ type: "text", text }];
  const message = { role: "assistant", content, provider: "demo", model: "demo" } as const;
  return { type: "message", id: `entry_${++count}`, message };
}

function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content.map((block: { text?: string }) => block.text ?? "").join("");
}

/** Each message as `entry <- parent | role: text`; markers of moves are left out. */
async function printContext(session: Session, at: string): Promise<void> {
  const { messages, sources } = await session.context({ at });
  for (const [index, message] of messages.entries()) {
    const id = sources[index] ?? "";
    const parent = session.tree.position(session.tree.get(id)?.parent?.id ?? null) ?? "root";
    const text = "content" in message ? textOf(message.content) : "";
    console.log(`  ${id} <- ${parent} | ${message.role}: ${text}`);
  }
}

await using store = createMemoryStore();
await using session = await Session.attach(await store.create({ cwd: "/demo" }));

await session.append([user("帮我设计缓存方案"), assistant("先确认读写比例，再选方案。")]);
const fork = session.position;
await session.append([user("方案 A：用内存缓存"), assistant("方案 A 最简单，重启后要预热。")]);
const leafA = session.position;
await session.moveLeaf(fork);
await session.append([user("方案 B：用 Redis"), assistant("方案 B 可以共享，要多一个服务。")]);
const leafB = session.position;

console.log("leaf A context");
await printContext(session, leafA ?? "");
console.log("leaf B context");
await printContext(session, leafB ?? "");
console.log(`current leaf: ${session.position}`);
console.log(`root: ${session.tree.path(leafB).at(0)?.id}`);
