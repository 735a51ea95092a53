import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { type TestContext, test } from "node:test";
import { StubServer } from "../stub-server/stub-server.ts";
import { type Desk, makeDesk } from "./run-cli.ts";

function chatDesk(t: TestContext): Desk {
  const desk = makeDesk(t);
  mkdirSync(desk.cwd);
  writeFileSync(path.join(desk.cwd, "plan.md"), "# 计划\n");
  return desk;
}

const lines = (...text: readonly string[]): string => `${text.join("\n")}\n`;

test("chat from a pipe: each line waits for the one before it; all slash commands", async (t) => {
  const desk = chatDesk(t);
  const stdin = lines(
    ...["列出文件", "hello", "/help", "/tree", "/context", "/model", "/queue"],
    ...["/switch @^", "你好", "/undo", "/fork @~1", "/clone", "/retry"],
    ...["/compact", "/nope", "/switch", "/switch root", "/model no/such", "/quit", "never"],
  );
  const said = await desk.ok(["chat", "--offline"], { stdin });
  assert.match(said.out, /^（离线模型）list_files 返回：\nplan\.md/);
  assert.match(said.out, /◀ leaf/);
  assert.match(said.out, /context at /);
  assert.match(said.out, /^offline\/offline-1 \(offline/m);
  for (const command of ["/tree", "/switch", "/fork", "/clone", "/compact", "/context"]) {
    assert.ok(said.err.includes(`${command} `), command);
  }
  assert.match(said.err, /The text of that message/);
  assert.match(said.err, /taken back: /);
  assert.match(said.err, /There is no command \/nope/);
  assert.match(said.err, /No provider here has the model no\/such/);
  assert.doesNotMatch(said.out, /never/);
  assert.equal((await desk.ok(["ls", "--json"])).rows.length, 3, "a fork and a clone");
  assert.equal((await desk.cli(["fsck", "last"])).code, 0);
});

test("what is typed on a terminal while the agent works steers it; /later waits", async (t) => {
  const desk = chatDesk(t);
  const started = Promise.withResolvers<void>();
  const go = Promise.withResolvers<void>();
  const gate = (event: number): Promise<void> | undefined => {
    if (event !== 2) return undefined;
    started.resolve();
    return go.promise;
  };
  await using stub = await StubServer.start(
    { text: "erster Teil", gate },
    { text: "gesteuert" },
    { text: "später" },
  );
  async function* typed(): AsyncIterable<string> {
    yield "讲一个故事\n";
    await started.promise;
    yield "短一点\n/later 然后总结\n/switch root\n/queue\n";
    // The commands above are taken one after the other; the last one has answered when this is asked for.
    yield "/tree\n";
    // The end of the input waits for what was begun.
    go.resolve();
  }
  const env = {
    NO_COLOR: "1",
    OPENAI_COMPATIBLE_BASE_URL: `${stub.url}/v1`,
    OPENAI_COMPATIBLE_MODEL: "stub-1",
  };
  const said = await desk.ok(["chat"], { isTTY: true, stdin: typed(), env });
  assert.match(said.err, /The agent is at work/, "/switch during a run is refused");
  assert.match(said.out, /^erst\n[0-9a-f]+ +steer +短一点$/m);
  assert.match(said.out, /später\n$/);
  assert.match(said.err, /you: 短一点/);
  const texts = stub.requests.map(({ body }) => JSON.stringify(body.messages));
  assert.doesNotMatch(texts[0] ?? "", /短一点/);
  assert.match(texts[1] ?? "", /erster Teil.*短一点/);
  assert.match(texts[2] ?? "", /gesteuert.*然后总结/);
});

test("/quit during a run aborts it; what came until then is kept", async (t) => {
  const desk = chatDesk(t);
  const started = Promise.withResolvers<void>();
  const gate = (event: number): Promise<void> | undefined => {
    if (event < 3) return undefined;
    started.resolve();
    return new Promise(() => undefined);
  };
  await using stub = await StubServer.start({ text: "halber Satz", gate });
  async function* typed(): AsyncIterable<string> {
    yield "讲一个故事\n";
    await started.promise;
    yield "/quit\n";
  }
  const env = {
    OPENAI_COMPATIBLE_BASE_URL: `${stub.url}/v1`,
    OPENAI_COMPATIBLE_MODEL: "stub-1",
  };
  const said = await desk.cli(["chat"], { isTTY: true, stdin: typed(), env });
  assert.equal(said.code, 130);
  const [row] = (await desk.ok(["show", "@", "--json"])).rows;
  assert.match(JSON.stringify(row), /"stopReason":"aborted"/);
});

test("/later where nothing runs begins a run, which the end of the input waits for", async (t) => {
  const desk = chatDesk(t);
  const said = await desk.ok(["chat"], { stdin: lines("/later 读取 plan.md") });
  assert.match(said.out, /# 计划/);
  assert.match((await desk.ok(["queue"])).err, /Nothing waits/);
});

test("chat --json: events and the place after a move", async (t) => {
  const desk = chatDesk(t);
  const stdin = lines("hello", "/switch @^", "/model");
  const { rows } = await desk.ok(["chat", "--json"], { stdin });
  const names = new Set<unknown>(rows.map(({ event }) => event));
  for (const name of ["run", "message", "result", "model"]) assert.ok(names.has(name), name);
});
