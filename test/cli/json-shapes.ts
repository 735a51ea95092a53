import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import type { Desk, RunOptions } from "./run-cli.ts";
import { turn } from "./run-cli.ts";

/** The first JSON line of each documented shape, as the verbs print it now. */
export type Shapes = ReadonlyMap<string, unknown>;

/** Runs every verb with --json on sample and made sessions and keeps one line of each. */
export async function collectShapes(desk: Desk): Promise<Shapes> {
  const shapes = new Map<string, unknown>();
  const keep = async (
    name: string,
    args: readonly string[],
    options?: RunOptions,
  ): Promise<void> => {
    const said = await desk.cli([...args, "--json"], options);
    const [row = JSON.parse(said.err || "null")] = said.rows;
    shapes.set(name, row);
  };
  const pi = desk.sample("v3-tui-branches.jsonl");
  await keep("ls", ["ls", "--root", desk.home]);
  await keep("tree", ["tree", pi]);
  await keep("log", ["log", pi]);
  await keep("show", ["show", "7575bc2a", "-s", pi]);
  await keep("context", ["context", pi]);
  await keep("expand", ["expand", "-s", pi]);
  await keep("labels", ["labels", pi]);
  await keep("export-review", ["export", pi, "--review"]);
  await keep("uncompact", ["uncompact", "-s", pi]);
  await keep("fsck", ["fsck", pi]);
  await keep("search", ["search", "idea index", "--root", desk.home]);
  await keep("stats", ["stats", "--by", "model", "--root", desk.home]);
  await madeSession(keep);
  const damaged = desk.sample("format-sample.jsonl");
  writeFileSync(damaged, readFileSync(damaged, "utf8").replace('"e6"', '"e6'));
  await keep("fsck-damaged", ["fsck", damaged]);
  await keep("repair", ["repair", damaged]);
  await keep("error", ["append", "--expect-leaf", "root"], { stdin: turn("问", "答") });
  const id = String((shapes.get("new") as { id: string }).id);
  await keep("relocate", ["relocate", id, `${desk.home}/moved`]);
  await keep("archive", ["archive", id, "--older-than", "0s", "--apply"]);
  await keep("unarchive", ["unarchive", id]);
  await desk.ok(["append", "-s", id], { stdin: turn("看", "x".repeat(9000)) });
  await keep("gc", ["gc", "--blobs", "--min-bytes", "4KiB", "--apply", id]);
  await keep("gc-prune", ["gc", "--prune"]);
  await keep("rm", ["rm", id]);
  await keep("ls-trash", ["ls", "--trash"]);
  await keep("restore", ["restore", id]);
  await keep("purge", ["purge", id, "--yes"]);
  await agentShapes(desk, shapes, keep);
  return shapes;
}

/** Runs of the offline model: each event once, then what is done with branches. */
async function agentShapes(desk: Desk, shapes: Map<string, unknown>, keep: Keep): Promise<void> {
  mkdirSync(desk.cwd, { recursive: true });
  const events = async (args: readonly string[]): Promise<void> => {
    for (const row of (await desk.ok([...args, "--json"])).rows) {
      const { event, role } = row as { event?: string; role?: string };
      const name = role === undefined ? `run-${event}` : `run-${event}-${role}`;
      if (!shapes.has(name)) shapes.set(name, row);
    }
  };
  await events(["ask", "列出文件", "--new", "--offline"]);
  await events(["ask", "写笔记：你好", "--offline"]);
  await keep("queue", ["queue", "add", "nextTurn", "然后读 plan.md"]);
  await events(["resume", "--offline"]);
  await desk.ok(["append"], { stdin: turn("看这个", "很长的一段话。".repeat(400)) });
  await keep("compact-dry-run", ["compact", "--keep", "0", "--dry-run"]);
  await keep("compact", ["compact", "--keep", "0", "--offline"]);
  await desk.ok(["switch", "@~3"]);
  await keep("merge", ["merge", "main"]);
  await keep("pick", ["pick", "main~1"]);
}

type Keep = (name: string, args: readonly string[], options?: RunOptions) => Promise<void>;

async function madeSession(keep: Keep): Promise<void> {
  await keep("new", ["new", "缓存方案"]);
  await keep("append", ["append"], { stdin: turn("帮我设计缓存方案", "好的") });
  await keep("status", ["status"]);
  await keep("name", ["name", "last", "缓存"]);
  await keep("branch", ["branch", "方案A", "@~1"]);
  await keep("label", ["label", "@~1", "起点"]);
  await keep("hide", ["hide", ":起点"]);
  await keep("switch", ["switch", "方案A"]);
  await keep("undo", ["undo"]);
  await keep("redo", ["redo"]);
  await keep("oplog", ["oplog"]);
  await keep("fork", ["fork", "@", "--name", "叉"]);
  await keep("clone", ["clone", "缓存"]);
}
