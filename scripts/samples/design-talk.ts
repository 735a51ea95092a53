/**
 * Sample 1, Chinese: a design talk with two branches. The trunk reads what our documents say; from its end
 * two plans are thought through side by side, then the talk goes back to the first one with a summary of the
 * second, and decides. Longer than what a compaction keeps, so that `/compact` has something to do here.
 */
import { type Line, Recorder, type Recording } from "./recorder.ts";

const READ = "read_file";
const SEARCH = "search_files";
const NOTE = "write_note";

/** What both plans have in common. */
const TRUNK: readonly Line[] = [
  [
    "我们来做一次设计评审：会话越来越大，有人一个文件 1 GB，启动时不能再从头到尾扫一遍。索引该放在哪里？\n\n目标：\n1. 新进程载入任意大小的会话，只碰上下文需要的字节；\n2. 索引是派生数据，删掉或弄坏它，回答不变，只是慢一次；\n3. 多个进程同时工作，不能互相等很久；\n4. Pi 仍然认得同一个会话文件。\n\n先列出 docs/decisions/ 的内容。",
    "list_files",
  ],
  [
    "读取 docs/decisions/0004-side-files.md 和 docs/decisions/0005-archive-beside-the-session.md：旁边文件最多三个，这条约束很重要。",
    ...[READ, READ],
  ],
  ["搜索“index”：文档里已经怎么说索引的？", SEARCH],
  ["读取 docs/benchmarks.md：要现在的数字，不要印象。", READ],
  ["搜索“lock”：多个进程一起工作时，谁等谁？", SEARCH],
  ["读取 docs/format.md 和 docs/archive.md：文件格式本身不会因为索引而改变吧？", ...[READ, READ]],
  ["搜索“entries”：一个会话能有多少条目，谁会逐条扫描？", SEARCH],
  ["搜索“open”：启动时现在到底碰哪些字节？", SEARCH],
  ["搜索“会话”：中文文档里有没有相反的说法？", SEARCH],
  [
    "事实够了。写一条笔记到 notes/premises.md：共同前提——索引是派生数据；会话文件仍是 Pi 的 JSONL；每个会话旁边最多三个小文件；锁由内核释放。下面分两个方案各走一条分支，互不影响，最后再比较。",
    NOTE,
  ],
];

const PLAN_A: readonly Line[] = [
  [
    "方案 A：整个数据文件夹一个 SQLite 索引，按文件身份、大小和尾部校验和判断是否仍然可信；不可信的部分重新扫描。\n\n好处：清单、查询、统计都是一句 SQL；旁边文件不增加。\n担心：中文没有空格，分词要事先做好；索引坏了必须能整个丢掉重建。\n\n搜索“damage”",
    SEARCH,
  ],
  ["中文一个字也要能找到。读取 docs/search.md", READ],
  ["代价呢？索引在哪一层，会不会让核心依赖 SQLite？读取 docs/layers.md", READ],
  [
    "写一条笔记到 notes/plan-a.md：方案 A 的结论——一个 SQLite 索引，派生、可丢弃；中文按字切分；索引只是一个端口，核心不依赖它。清单和查询都不再碰会话文件。",
    NOTE,
  ],
];

const PLAN_B: readonly Line[] = [
  [
    "方案 B：每个会话旁边放一个索引文件 session.jsonl.idx，存每个条目的偏移、父条目和种类。\n\n好处：复制会话时索引一起带走；一个坏了不影响别的；不需要数据库。\n担心：和“最多三个旁边文件”的约束冲突；跨会话查询要碰几千个小文件。\n\n搜索“three side files”",
    SEARCH,
  ],
  ["跨会话的全文查询怎么办？读取 docs/search.md", READ],
  [
    "写一条笔记到 notes/plan-b.md：方案 B 的结论——单个会话最简单，但第四个旁边文件违反约束，清单和查询要碰每一个会话。只有几十个会话时够用，几千个时不够。",
    NOTE,
  ],
];

const DECISION: Line = [
  "决定：采用方案 A。方案 B 的分支保留，摘要就在上面，以后有人再问可以直接翻到。写一条笔记到 notes/decision.md：采用方案 A；方案 B 不删，留作对照；下一步先做“索引等于重新扫描”的等价测试。",
  NOTE,
];

/** Records the sample; gives its file. */
export async function recordDesignTalk(recording: Recording): Promise<string> {
  await using recorder = await Recorder.open(recording);
  const { session, harness } = recorder;
  await session.rename("会话索引放在哪里：方案 A 还是方案 B");
  for (const line of TRUNK) await recorder.say(...line);
  const fork = recorder.here;
  await recorder.label("共同前提");
  await session.createBranch("方案 A", fork);
  await harness.moveToBranch("方案 A");
  for (const line of PLAN_A) await recorder.say(...line);
  await recorder.label("方案 A 的结论");
  recorder.pause(95);
  await session.createBranch("方案 B", fork);
  await harness.moveToBranch("方案 B");
  for (const line of PLAN_B) await recorder.say(...line);
  await recorder.label("方案 B 的结论");
  recorder.pause(120);
  await harness.moveToBranch("方案 A", { summary: true });
  await recorder.say(...DECISION);
  await recorder.label("决定：方案 A");
  return recorder.file;
}
