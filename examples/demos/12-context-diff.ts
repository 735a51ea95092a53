/**
 * `npm run demo:12`: two contexts compared by what a model would read, and where the provider's cache breaks:
 * everything up to the first difference is read from the cache, everything behind it is paid anew.
 */
import { createMemoryStore, estimateContextTokens, type Message, Session } from "branchline";
import { brief, heading, remark, row, textOf } from "./print.ts";

await using store = createMemoryStore();
await using session = await Session.attach(await store.create({ cwd: "/demo" }));
const say = (role: string, content: string): Promise<unknown> =>
  session.append({ type: "message", message: { role, content } });

async function contextAt(at: string | null): Promise<readonly Message[]> {
  return (await session.context({ at })).messages;
}

/** Messages at the beginning that both have, byte for byte. */
function common(a: readonly Message[], b: readonly Message[]): number {
  const at = a.findIndex((message, place) => JSON.stringify(message) !== JSON.stringify(b[place]));
  return at < 0 ? a.length : at;
}

function compare(a: readonly Message[], b: readonly Message[]): void {
  const same = common(a, b);
  const text = (message: Message): string =>
    brief("content" in message ? textOf(message.content) : "", 60);
  for (const message of a.slice(0, same)) row(`  ${message.role}`, text(message));
  remark("──── the cache holds up to here ────");
  for (const message of a.slice(same)) row(`- ${message.role}`, text(message));
  for (const message of b.slice(same)) row(`+ ${message.role}`, text(message));
  row("from the cache", `${estimateContextTokens(b.slice(0, same))} tokens`);
  row("read anew", `${estimateContextTokens(b.slice(same))} tokens`);
}

await say("system", "You review designs.");
await say("user", `帮我设计缓存方案。${"背景很长。".repeat(60)}`);
const question = session.leaf;
await say("user", "方案 A：进程内缓存");
const a = session.leaf;
await session.moveLeaf(question);
await say("user", "方案 B：共享缓存");
const b = session.leaf;

heading("方案 A against 方案 B: two branches share the beginning");
compare(await contextAt(a), await contextAt(b));

heading("方案 B before and after the question was hidden: the cache breaks early");
const before = await contextAt(session.leaf);
await session.hide(question ?? "");
compare(before, await contextAt(session.leaf));
await session.undo();
row("undone: equal again", String(common(before, await contextAt(session.leaf)) === before.length));
