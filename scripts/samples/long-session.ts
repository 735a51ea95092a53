/**
 * Sample 3, English and Chinese: a long session that is compacted twice by itself. What was read at its
 * beginning stands in no summary and is found again with `recall`.
 */
import { type Line, Recorder, type Recording } from "./recorder.ts";

const READ = "read_file";
const SEARCH = "search_files";
const NOTE = "write_note";

/** Asks for a line of the glossary, which was read at the beginning. */
const FOUND_AGAIN = "Recall “bridged and marked”: how did the glossary put it, exactly?";

const LINES: readonly Line[] = [
  [
    "We prepare a talk about this project, in an hour, out of the documents that are here. It will be a long session: what falls out of the context has to be found again. First: list docs/ please.",
    "list_files",
  ],
  ["Read docs/glossary.md. One word per thing, the slides keep to it.", READ],
  ["Read docs/format.md: the first slide shows one line of a session file.", READ],
  ["Search for “never”: what is promised, in so many words?", SEARCH],
  ["Read docs/harness.md and docs/layers.md for the picture of the layers.", READ, READ],
  [
    "读取 docs/decisions/0002-end-of-a-branch.md 和 docs/decisions/0003-gap-placeholder.md",
    READ,
    READ,
  ],
  [
    "Write a note to notes/slides-1.md: Decision: the talk begins with one line of a file, then the tree, then the context; no architecture before minute ten. We decided against a live demo over the network.",
    NOTE,
  ],
  ["Read docs/compaction.md. The second part is about what is kept.", READ],
  ["Search for “compaction”, all places.", SEARCH],
  ["搜索“压缩”：中文的说法要一致。", SEARCH],
  ["Read docs/search.md. Which query do we show?", READ],
  ["Search for “lock”: the question will come, how do two processes write at once?", SEARCH],
  [
    "Write a note to notes/slides-2.md: Decision: we show the query 会话 with one character, then leafId. The question about two processes gets a slide of its own.",
    NOTE,
  ],
  ["Read docs/benchmarks.md and docs/archive.md for the figures.", READ, READ],
  ["Search for “ms”, only figures that were measured go on a slide.", SEARCH],
  [
    "Read docs/decisions/0004-side-files.md and docs/decisions/0006-published-files-are-joined.md",
    READ,
    READ,
  ],
  [FOUND_AGAIN, "recall"],
  ["回忆“损失报告”", "recall"],
  [
    "Write a note to notes/checklist.md: Slide 9 quotes the glossary about gaps. That line stood in no summary; the loss report of the first compaction names it, and recall brought it back word for word. Slide 14 quotes the Chinese line about the loss report.",
    NOTE,
  ],
];

/** Records the sample; gives its file. */
export async function recordLongSession(recording: Recording): Promise<string> {
  // A small window, so that a session of a readable length is compacted.
  await using recorder = await Recorder.open(recording, {
    contextWindow: 16_000,
    compaction: { keepRecentTokens: 2500 },
  });
  const { session, harness } = recorder;
  await session.rename("Long session: two compactions, and a fact found again · 两次压缩与找回");
  let compactions = 0;
  harness.subscribe((event) => {
    if (event.type === "compaction_end" && event.entryId !== null) compactions++;
  });
  for (const [text, ...tools] of LINES) {
    await recorder.say(text, ...tools);
    if (text.includes("glossary.md")) await recorder.label("read once, needed much later");
    if (tools[0] === "recall") await recorder.label("found again");
    recorder.pause(30);
  }
  if (compactions !== 2) throw new TypeError(`${compactions} compactions instead of 2`);
  return recorder.file;
}
