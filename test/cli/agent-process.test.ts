import assert from "node:assert/strict";
import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { type TestContext, test } from "node:test";
import { StubServer } from "../stub-server/stub-server.ts";

const BIN = path.resolve(import.meta.dirname, "../../bin/branchline.js");

/** A home, and the program in it with a stub as its model. */
class Bench {
  readonly home: string;
  readonly cwd: string;
  readonly #stub: StubServer;

  constructor(t: TestContext, stub: StubServer) {
    this.home = mkdtempSync(path.join(tmpdir(), "branchline-agent-"));
    t.after(() => rmSync(this.home, { recursive: true, force: true }));
    this.cwd = path.join(this.home, "project");
    mkdirSync(this.cwd);
    writeFileSync(path.join(this.cwd, "plan.md"), "# 计划\n");
    this.#stub = stub;
  }

  get #env(): NodeJS.ProcessEnv {
    return {
      ...process.env,
      HOME: this.home,
      BRANCHLINE_HOME: path.join(this.home, "data"),
      OPENAI_COMPATIBLE_BASE_URL: `${this.#stub.url}/v1`,
      OPENAI_COMPATIBLE_MODEL: "stub-1",
    };
  }

  start(...args: readonly string[]): ChildProcessWithoutNullStreams {
    const child = spawn(process.execPath, [BIN, ...args], { cwd: this.cwd, env: this.#env });
    child.stdin.end();
    return child;
  }

  /** Runs to the end beside the stub, which lives in this process. */
  async run(...args: readonly string[]): Promise<{ code: number; out: string; err: string }> {
    const child = this.start(...args);
    const said = { out: "", err: "" };
    child.stdout.setEncoding("utf8").on("data", (text: string) => (said.out += text));
    child.stderr.setEncoding("utf8").on("data", (text: string) => (said.err += text));
    const [code] = await once(child, "close");
    return { code, ...said };
  }

  /** Without the stub. */
  look(...args: readonly string[]): string {
    const options = { cwd: this.cwd, env: this.#env, encoding: "utf8" } as const;
    const done = spawnSync(process.execPath, [BIN, ...args], options);
    assert.equal(done.status, 0, done.stderr);
    return done.stdout;
  }
}

/** Resolves when the child has printed this on standard output. */
async function printed(child: ChildProcessWithoutNullStreams, text: string): Promise<void> {
  let out = "";
  child.stdout.setEncoding("utf8");
  for await (const [chunk] of on(child)) {
    out += chunk;
    if (out.includes(text)) return;
  }
}

async function* on(child: ChildProcessWithoutNullStreams): AsyncGenerator<readonly [string]> {
  for (;;) yield (await once(child.stdout, "data")) as [string];
}

/** Streams its first words and then nothing more. */
function stuck(text: string): {
  readonly text: string;
  gate(event: number): Promise<void> | undefined;
} {
  return { text, gate: (event) => (event < 3 ? undefined : new Promise(() => undefined)) };
}

test("Ctrl-C aborts once: the run settles, exit 130, the transcript is whole and goes on", async (t) => {
  await using stub = await StubServer.start(stuck("你好世界，这是回答"), { text: "nochmal" });
  const bench = new Bench(t, stub);
  const child = bench.start("ask", "讲一个故事");
  await printed(child, "你好世界");
  child.kill("SIGINT");
  const [code, signal] = await once(child, "close");
  assert.deepEqual([code, signal], [130, null]);
  assert.match(bench.look("show", "@", "--json"), /"stopReason":"aborted"/);
  bench.look("fsck");
  const again = await bench.run("retry");
  assert.deepEqual([again.code, again.out], [0, "nochmal\n"]);
});

test("Ctrl-C twice leaves at once", async (t) => {
  await using stub = await StubServer.start(stuck("你好世界，这是回答"));
  const bench = new Bench(t, stub);
  const child = bench.start("ask", "讲一个故事");
  await printed(child, "你好世界");
  child.kill("SIGINT");
  await once(child.stderr, "data");
  child.kill("SIGINT");
  const [code] = await once(child, "close");
  assert.equal(code, 130);
  bench.look("fsck");
});

test("kill -9 between a tool and the next answer: resume goes on, the tool ran once", async (t) => {
  const calls = [
    { id: "c1", name: "write_note", arguments: { path: "note.md", text: "一" } },
    { id: "c2", name: "list_files", arguments: {} },
  ];
  await using stub = await StubServer.start({ calls }, stuck("我写了笔记，然后"), { text: "完成" });
  const bench = new Bench(t, stub);
  const child = bench.start("ask", "写笔记", "--yes");
  await printed(child, "我写了笔记");
  child.kill("SIGKILL");
  await once(child, "close");
  const resumed = await bench.run("resume", "--json");
  assert.equal(resumed.code, 0, resumed.err);
  const events = resumed.out
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line).event);
  assert.ok(!events.includes("tool"), "no call is made again");
  assert.equal(events.at(-1), "result");
  const roles = bench
    .look("log", "--json")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line).role);
  const expected = ["system", "user", "assistant", "toolResult", "toolResult", "assistant"];
  assert.deepEqual(
    roles.filter((role) => role !== null),
    expected,
  );
  assert.equal((await bench.run("resume", "--json")).out.includes('"outcome":"nothing"'), true);
});
