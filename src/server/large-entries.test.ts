import assert from "node:assert/strict";
import { test } from "node:test";
import type { EntryDraft } from "../entry/entry.ts";
import { EntryReader, LARGE_BYTES } from "./entry-reader.ts";
import { spliceLine } from "./line-ends.ts";
import { serverRig } from "./testing/server-rig.ts";

function spliced(value: unknown, head: number, tail: number): unknown {
  const line = Buffer.from(JSON.stringify(value));
  const made = spliceLine(line.subarray(0, head), line.subarray(-tail), line.length);
  if (made === null) return null;
  assert.equal(made.kept + made.left > 0, true);
  return { ...made, line: JSON.parse(Buffer.from(made.line).toString("utf8")) };
}

const TEXTS: readonly (readonly [name: string, text: string])[] = [
  ["plain", "word ".repeat(200)],
  ["quotes", '"'.repeat(700)],
  ["backslashes", "\\".repeat(700)],
  ["both", '\\"'.repeat(500)],
  ["Chinese", "会话树".repeat(300)],
  ["emoji", "🌳".repeat(300)],
  ["control", "\u0001\n\t".repeat(300)],
  ["like JSON", '"}],"isError":true}'.repeat(60)],
];

for (const [name, text] of TEXTS) {
  test(`the ends of a line give the same entry with a shorter text, wherever they are cut: ${name}`, () => {
    const entry = { id: "a", message: { content: [{ type: "text", text }], isError: false, n: 1 } };
    for (let head = 60; head < 140; head++) {
      for (let tail = 40; tail < 100; tail += 7) {
        const made = spliced(entry, head, tail);
        // A line of backslashes may hide where its text ends; then it is read whole.
        if (made === null) continue;
        const { line, member } = made as { line: typeof entry; member: string };
        const [block] = line.message.content;
        assert.equal(member, "text");
        assert.ok(text.startsWith(block?.text ?? "?"), `${head} ${tail}`);
        assert.deepEqual({ ...line.message, content: [] }, { ...entry.message, content: [] });
      }
    }
    assert.equal(spliced(entry, 100, 64) === null, name === "backslashes");
  });
}

test("what is no long text in the middle is not put together", () => {
  const numbers = { id: "a", list: Array.from({ length: 500 }, (_, at) => at) };
  assert.equal(spliced(numbers, 60, 60), null);
  const many = { id: "a", first: "x".repeat(300), list: Array(100).fill("word"), last: 1 };
  assert.equal(spliced(many, 60, 60), null);
  const inList = spliced({ id: "a", list: ["x".repeat(900)] }, 60, 60);
  assert.equal(Object(inList).member, "");
});

test("a window over results of megabytes reads their ends: cut, with the size of the whole, tokens as of the whole", async (t) => {
  const rig = await serverRig(t);
  const made = await rig.foreign.create({ cwd: "/x" });
  const text = 'a line of 会话 text with "quotes" and \\ in it\n'.repeat(40_000);
  const call = { type: "toolCall", id: "c", name: "read", arguments: {} };
  const message = (value: object): EntryDraft => ({ type: "message", message: value });
  await made.commit({
    entries: [
      message({ role: "user", content: "read it" }),
      message({ role: "assistant", content: [call] }),
      message({
        ...{ role: "toolResult", toolCallId: "c", toolName: "read" },
        ...{ content: [{ type: "text", text }], isError: true },
      }),
      message({
        role: "user",
        content: [{ type: "image", data: "A".repeat(1e6), mimeType: "i/p" }],
      }),
    ],
  });
  const { id } = made;
  await made.close();
  const host = await rig.server.core.hosts.use(id);
  let bytesRead = 0;
  const { lines } = host.store;
  const counting = Object.create(host.store, {
    lines: {
      value: {
        readInto: async (buffer: Uint8Array, position: number) => {
          bytesRead += buffer.length;
          return (await lines?.readInto(buffer, position)) ?? 0;
        },
      },
    },
    placeOf: { value: (entry: string) => host.store.placeOf(entry) },
    getAll: { value: (ids: readonly string[]) => host.store.getAll(ids) },
  });
  const ids = [...host.store.tree.entries()].map((at) => at.id);
  const read = await new EntryReader(counting).read(ids);
  assert.deepEqual(
    read.map(({ large }) => large !== null),
    [false, false, true, true],
  );
  assert.ok(bytesRead < LARGE_BYTES, `${bytesRead}`);
  const { rows } = await rig.client.path(id);
  const [, , result, image] = rows;
  assert.equal(result?.cut, true);
  assert.ok((result?.more?.bytes ?? 0) > text.length);
  assert.equal(result?.isError, true);
  assert.equal(result?.tool, "read");
  assert.match(result?.text ?? "", /a line of 会话/);
  assert.ok(JSON.stringify(rows).length < 150_000);
  const whole = await rig.client.context(id);
  const exact = whole.parts.map(({ tokens }) => tokens);
  assert.ok(
    Math.abs((result?.tokens ?? 0) / (exact[2] ?? 1) - 1) < 0.1,
    `${result?.tokens} ${exact}`,
  );
  assert.equal(image?.tokens, exact[3]);
  const entry = (await rig.client.entry(id, result?.id ?? "")).entry;
  assert.equal(JSON.stringify(entry).includes(JSON.stringify(text)), true);
});
