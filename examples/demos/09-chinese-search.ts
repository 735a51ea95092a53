/**
 * `npm run demo:09`: search in Chinese, from one character on, and in names by their parts; each hit says
 * whether it lies on a branch that was left.
 */
import { createJsonlStore, openLocalIndex, parseQuery, Session, searchSessions } from "branchline";
import { temporaryFolder } from "./folders.ts";
import { heading, row } from "./print.ts";

const TEXTS = [
  "会话树的设计：每个会话是一棵树，叶子可以移动。",
  "评审会议在周三，讨论方案 A 和方案 B。",
  "服务端修改了索引的写入顺序，getLeafId 不变。",
];
const QUERIES = [
  "会话",
  "树",
  "方案",
  "评审会议",
  "服务端 修改",
  "索引",
  "leaf",
  "写入顺序",
  "没有的词",
];

async function* noSessions(): AsyncGenerator<never> {
  // None.
}

using place = temporaryFolder();
const { folder: root } = place;
await using index = openLocalIndex({ root });
await using store = createJsonlStore({ root, index: index.sessions });
await using session = await Session.attach(await store.create({ cwd: "/demo" }));
for (const content of TEXTS)
  await session.append({ type: "message", message: { role: "user", content } });
const [first] = session.tree.path(session.leaf);
await session.moveLeaf(first?.id ?? null);
await session.append({
  type: "message",
  message: { role: "user", content: "另一条分支，也谈会话。" },
});
for await (const { title } of store.list()) row("indexed", title ?? "");
await index.text.update();

heading("Query, and what was found");
let found = 0;
for (const text of QUERIES) {
  const { hits } = await searchSessions(parseQuery(text, Date.now()), {
    index: index.text,
    // The index answers; nothing has to be read.
    sessions: () => noSessions(),
    makeRegexRunner: () => {
      throw new TypeError("no query of this demo is a regular expression");
    },
    limit: 5,
    activeFirst: true,
  });
  if (hits.length > 0) found++;
  const shown = hits.map(({ excerpt, marks, onActivePath }) => {
    const marked = marks.map(({ start, end }) => `【${excerpt.slice(start, end)}】`).join("");
    return onActivePath ? marked : `${marked} (left branch)`;
  });
  row(text, `${hits.length}  ${shown.join("  ")}`);
}
if (found !== QUERIES.length - 1) process.exitCode = 1;
