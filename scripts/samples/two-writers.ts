/**
 * Sample 4, Chinese: two agents write into one session at once. Ours runs here; the other one is a process of
 * its own that writes as Pi does, in the middle of our run, and goes on from what it read earlier. Nothing is lost:
 * the run goes on as a branch beside it. Then that branch is named, and what it came to is merged.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { branchConclusion, mergeBranch } from "../../src/session/merge.ts";
import type { PiJob } from "./pi-writer.ts";
import { Recorder, type Recording } from "./recorder.ts";

/** Starts the other agent; resolves when it has read the file. */
async function otherAgent(job: PiJob): Promise<ChildProcess> {
  const program = path.join(import.meta.dirname, "pi-writer.ts");
  const child = spawn(
    process.execPath,
    ["--disable-warning=ExperimentalWarning", program, JSON.stringify(job)],
    { stdio: ["pipe", "pipe", "inherit"], env: {} },
  );
  await Promise.race([once(child.stdout, "data"), once(child, "exit")]);
  return child;
}

/** Lets it write what it has; resolves when it has ended. */
async function letWrite(child: ChildProcess): Promise<void> {
  child.stdin?.end();
  const [code] = await once(child, "exit");
  if (code !== 0) throw new TypeError(`the other agent ended with ${code}`);
}

/** Records the sample; gives its file. */
export async function recordTwoWriters(recording: Recording): Promise<string> {
  await using recorder = await Recorder.open(recording);
  const { session, harness, clock, folder, file } = recorder;
  await session.rename("两个智能体同时写：分叉与合并");
  await recorder.say("我们要写发布说明。先列出 docs/ 的内容。", "list_files");
  await recorder.say("读取 docs/glossary.md，用词以它为准。", "read_file");
  await recorder.label("两边都从这里继续");
  const start = new Date(clock.now() + 13_900).toISOString();
  const other = await otherAgent({
    ...{ file, folder, start },
    seed: recording.seed * 100,
    prompt:
      "我在另一个终端里用 Pi 打开同一个会话。发布说明里全文查询那一节我来。读取 docs/search.md",
  });
  // In the middle of our run, while its tool is under way.
  const stop = harness.subscribe(async (event) => {
    if (event.type === "tool_execution_start") await letWrite(other);
  });
  await recorder.say("发布说明第一节：文件格式。读取 docs/format.md", "read_file");
  stop();
  await session.refresh();
  const ours = session.branch;
  const foreign = session.tree.branch("main")?.head ?? null;
  if (foreign === null || session.tree.get(foreign)?.fold.branch === ours) {
    throw new TypeError("nothing diverged");
  }
  await session.renameBranch(ours, "我们：文件格式与压缩");
  await recorder.label("同时写入：我们在这一支");
  await recorder.label("同时写入：Pi 在这一支", foreign);
  recorder.pause(20);
  await recorder.say("第二节：压缩。读取 docs/compaction.md", "read_file");
  const end = recorder.here;
  await harness.moveToBranch("main");
  await mergeBranch(session, await branchConclusion(session, end));
  await recorder.label("已合并两边");
  await recorder.say(
    "写一条笔记到 notes/release.md：发布说明三节——全文查询（Pi）、文件格式和压缩（我们，已合并）。两边同时写，一行也没丢。",
    "write_note",
  );
  return recorder.file;
}
