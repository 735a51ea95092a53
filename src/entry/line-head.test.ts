import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { physicalLines } from "../../test/builders/read-lines.ts";
import { randomSession } from "../../test/index/random-session.ts";
import { crc32 } from "./crc32.ts";
import type { Entry } from "./entry.ts";
import { decodeLine } from "./line-decode.ts";
import { encodeEntry } from "./line-encode.ts";
import { CRC_BYTES, readHead, readLink } from "./line-head.ts";

type Members = Readonly<Record<string, unknown>>;

const encoder = new TextEncoder();
const AT = { id: "b", parentId: "a", timestamp: "2026-01-02T03:04:05.000Z" };
const USAGE = { input: 1, output: 2, cacheRead: 3, cacheWrite: 4, cost: { total: 0.5 } };
const TEXT = [{ type: "text", text: 'a "quoted" ],"api":" word 会话' }];

function line(message: Members, more: Members = {}): string {
  return JSON.stringify({ type: "message", ...AT, message, ...more });
}

function head(text: string): ReturnType<typeof readHead> {
  return readHead(encoder.encode(text));
}

/** Where the head says anything, it says what the full decoder says. */
function assertSame(bytes: Uint8Array): boolean {
  const found = readHead(bytes);
  if (found === null) return false;
  const { parts, findings } = decodeLine(bytes);
  const [part] = parts;
  if (found.crc !== null) {
    const fits = crc32(bytes.subarray(0, bytes.length - CRC_BYTES)) === found.crc;
    assert.equal(part?.kind === "record" && part.crc === "right", fits);
    if (!fits) return false;
  }
  assert.deepEqual([parts.length, findings.length, part?.kind], [1, 0, "record"]);
  if (part?.kind !== "record") return false;
  const { type, id, parentId, timestamp, message } = part.value;
  const { role, provider, model, usage, toolName } = message as Members;
  const isAnswer = role === "assistant";
  const { entry } = found;
  const told = entry.message as Members;
  assert.deepEqual([entry.type, entry.id, entry.parentId], [type, id, parentId]);
  assert.deepEqual([entry.timestamp, told.role], [timestamp, role]);
  assert.deepEqual(told.usage, usage);
  if (isAnswer) assert.deepEqual([told.provider, told.model], [provider, model]);
  assert.equal(found.toolName, role === "toolResult" ? toolName : null);
  assert.deepEqual([found.key ?? undefined, found.commit ?? undefined], [part.key, part.commit]);
  return true;
}

/** No line of these is one JSON object although both of its ends look like one (P7): whoever scans must notice otherwise. */
const TORN: ReadonlySet<string> = new Set([
  "LINE_GLUED",
  "LINE_NOT_JSON",
  "LINE_NUL",
  "LINE_INVALID_UTF8",
]);

function corpus(): readonly string[] {
  const folders = ["../../../shared/fixtures", "../../test/golden", "../../examples"];
  return folders
    .map((folder) => join(import.meta.dirname, folder))
    .filter((folder) => existsSync(folder))
    .flatMap((folder) =>
      (readdirSync(folder, { recursive: true }) as string[]).map((name) => join(folder, name)),
    )
    .filter((path) => path.endsWith(".jsonl") && statSync(path).isFile());
}

describe("readHead", () => {
  it("says of every line of every file nothing or what the full decoder says", () => {
    let told = 0;
    for (const path of corpus()) {
      for (const { bytes } of physicalLines(readFileSync(path))) {
        if (bytes === null) continue;
        const isTorn = decodeLine(bytes).findings.some(({ code }) => TORN.has(code));
        if (!isTorn && assertSame(bytes)) told++;
      }
    }
    assert.ok(told > 100, `only ${told} heads`);
  });

  it("says of random entries nothing or what the full decoder says", () => {
    let told = 0;
    for (let seed = 1; seed <= 200; seed++)
      for (const text of randomSession(seed, 60).lines)
        if (assertSame(encoder.encode(text.slice(0, -1)))) told++;
    assert.ok(told > 1000, `only ${told} heads`);
  });

  it("reads what Pi writes for people, models and tools", () => {
    const timestamp = 1767607205231;
    assert.equal(
      head(line({ role: "user", content: TEXT, timestamp }))?.entry.message.role,
      "user",
    );
    assert.equal(head(line({ role: "user", content: "text" }))?.entry.id, "b");
    const root = line({ role: "user", content: [] }).replace('"parentId":"a"', '"parentId":null');
    assert.equal(head(root)?.entry.parentId, null);
    const result = { role: "toolResult", toolCallId: "t", toolName: "bash", content: TEXT };
    assert.equal(head(line({ ...result, isError: false, timestamp }))?.toolName, "bash");
    assert.equal(head(line({ ...result, details: { x: 1 }, isError: true }))?.toolName, "bash");
    assert.equal(head(line({ role: "toolResult", content: TEXT, isError: true }))?.toolName, null);
    const answer = { role: "assistant", content: TEXT, api: "a", provider: "p", model: "m" };
    const told = head(line({ ...answer, usage: USAGE, stopReason: "stop", timestamp }));
    assert.deepEqual(told?.entry.message, {
      role: "assistant",
      content: [],
      provider: "p",
      model: "m",
      usage: USAGE,
    });
  });

  it("reads the stamp of our lines", () => {
    const entry = { type: "message", ...AT, message: { role: "user", content: "x" } } as Entry;
    const read = (stamp: Parameters<typeof encodeEntry>[1]): ReturnType<typeof readHead> =>
      readHead(encodeEntry(entry, stamp).subarray(0, -1));
    const plain = read({});
    assert.deepEqual([plain?.key, plain?.commit], [null, null]);
    const commit = { id: "c", i: 2, n: 3 };
    const full = read({ key: "k", commit });
    assert.deepEqual([full?.key, full?.commit], ["k", commit]);
    assert.deepEqual(read({ commit: { id: "c", i: 3, n: 3 } })?.commit, { id: "c", i: 3, n: 3 });
    assert.equal(read({ commit: { id: "c", i: 4, n: 3 } }), null);
    assert.equal(read({ key: 'with "quotes"' }), null);
  });

  const content = TEXT;
  const answer = { role: "assistant", content, api: "a", provider: "p", model: "m", usage: USAGE };
  const result = { role: "toolResult", toolCallId: "t", toolName: "b", content };
  let deep: unknown = 1;
  for (let level = 0; level < 1200; level++) deep = [deep];
  const far = "x".repeat(2_000);
  const refused: Readonly<Record<string, string>> = {
    "white space behind the line": `${line({ role: "user", content })} `,
    "text right before the end of an answer": line({ ...answer, content: [...content, "y"] }),
    "usage of a user message that ends like a result": line({
      role: "user",
      content,
      usage: USAGE,
      far,
      list: [{}],
      isError: false,
    }),
    "usage before something that looks like the end of a result": line({
      ...result,
      usage: USAGE,
      far,
      details: { list: [{}], isError: true },
      isError: false,
    }),
    "another type": JSON.stringify({ type: "label", ...AT, targetId: "a", label: "x" }),
    "another order of members": JSON.stringify({
      ...AT,
      type: "message",
      message: { role: "user" },
    }),
    "another role": line({ role: "bashExecution", command: "ls", output: "" }),
    "an id that is escaped": line({ role: "user", content }).replace('"id":"b"', '"id":"b\\n"'),
    "an id longer than any": line({ role: "user", content }).replace(
      '"id":"b"',
      `"id":"${"b".repeat(300)}"`,
    ),
    "a timestamp that is no text": line({ role: "user", content }).replace(
      /"timestamp":"[^"]*"/,
      '"timestamp":5',
    ),
    "content of another kind": line({ role: "user", content: [1] }),
    "usage of a user message": line({ role: "user", content, usage: USAGE }),
    "usage before the content's end": line({
      ...result,
      usage: USAGE,
      details: [],
      isError: false,
    }),
    "more members behind a user message": line({ role: "user", content, list: [{}], x: 1 }),
    "a member behind the message": line({ role: "user", content }, { more: "x" }),
    "a stamp behind another member": `${line({ role: "user", content }, { more: "x" }).slice(0, -1)},"crc":"00000000"}`,
    "an answer without model": line({
      role: "assistant",
      content,
      api: "a",
      provider: "p",
      usage: USAGE,
    }),
    "an answer without provider": line({
      role: "assistant",
      content,
      api: "a",
      model: "p",
      usage: USAGE,
    }),
    "an answer without usage": line({
      role: "assistant",
      content,
      api: "a",
      provider: "p",
      model: "m",
    }),
    "an answer whose usage is no object": line({ ...answer, usage: 5 }),
    "an answer in another order": line({
      role: "assistant",
      api: "a",
      provider: "p",
      model: "m",
      content,
    }),
    "an answer whose text looks like its end": line({
      role: "assistant",
      content: [{ type: "text", text: "x" }, '],"api":"'],
    }),
    "an answer with a second role": line({ ...answer, stop: 1 }).replace(
      '"stop":1',
      '"role":"user"',
    ),
    "an answer with other than ASCII at its end": line({ ...answer, errorMessage: "错误" }),
    "an answer whose end is no JSON": line({ ...answer, stop: 1 }).replace('"stop":1', '"stop":x'),
    "a list right before the end of an answer": line({ ...answer, content: [["x"], "y"] }),
    "an answer that nests deep": line({
      ...answer,
      content: [{ type: "toolCall", arguments: { deep } }],
    }),
    "a result that nests deep": line({ ...result, details: { deep }, isError: false }),
    "half a line": line({ role: "user", content }).slice(0, -1),
    nothing: "",
  };
  for (const [what, text] of Object.entries(refused))
    it(`leaves to the decoder: ${what}`, () => assert.equal(head(text), null));

  it("takes a tool's name from tool results only", () => {
    const user = { role: "user", toolCallId: "t", toolName: "b", content };
    assert.deepEqual([head(line(user))?.entry.id, head(line(user))?.toolName], ["b", null]);
  });

  it("takes a check sum from the end of the line only", () => {
    const found = head(line({ ...result, details: { a: 1, crc: "12345678" }, isError: false }));
    assert.deepEqual([found?.entry.id, found?.crc], ["b", null]);
  });

  it("finds the end of the content where the bytes looked at begin", () => {
    const long = "x".repeat(3_000);
    const at = (errorMessage: string): string =>
      line({ ...answer, content: [{ type: "text", text: long }], errorMessage });
    const behind = at("").length - at("").indexOf('}],"api"');
    assert.ok(behind < 1024);
    for (const more of [-1, 0, 1]) {
      const text = at("e".repeat(1024 - behind + more));
      assert.equal(head(text) === null, more > 0);
    }
  });

  it("looks at both ends only, however long the line is; at more of the head where that is needed", () => {
    for (const [toolCallId, expected] of [
      ["t", [256, 1024]],
      ["t".repeat(300), [256, 512, 1024]],
    ] as const) {
      const slices: number[] = [];
      const content = [{ type: "text", text: "x".repeat(1e6) }];
      const message = { ...result, toolCallId, content, isError: false, timestamp: 1767607205231 };
      const found = readHead(encoder.encode(line(message)), (all, from, to) => {
        slices.push(to - from);
        return new TextDecoder("latin1").decode(all.subarray(from, to));
      });
      assert.equal(found?.toolName, "b");
      assert.deepEqual(slices, expected);
    }
  });
});

describe("readLink", () => {
  it("says of every entry what the decoder says, or leaves it to the decoder", () => {
    let read = 0;
    for (let seed = 1; seed <= 40; seed++) {
      for (const text of randomSession(seed, 30).lines) {
        const bytes = encoder.encode(text.slice(0, -1));
        const [part] = decodeLine(bytes).parts;
        assert.ok(part?.kind === "record");
        const link = readLink(bytes);
        if (link === null) assert.equal(part.value.type, "session");
        else {
          read++;
          const { type, id, parentId } = part.value;
          assert.deepEqual(link, { type, id, parentId }, `seed ${seed}`);
        }
      }
    }
    assert.ok(read > 500);
  });

  it("looks at the first bytes only, however long the line is", () => {
    const slices: number[] = [];
    const text = JSON.stringify({ type: "custom", ...AT, data: "x".repeat(1e6) });
    const link = readLink(encoder.encode(text), (all, from, to) => {
      slices.push(to - from);
      return new TextDecoder("latin1").decode(all.subarray(from, to));
    });
    assert.deepEqual(link, { type: "custom", id: "b", parentId: "a" });
    assert.deepEqual(slices, [256]);
  });

  const odd = {
    "a header": JSON.stringify({ type: "session", id: "a", parentId: null, timestamp: "" }),
    "other members first": JSON.stringify({ id: "a", type: "label", parentId: null }),
    "an id with a quote": JSON.stringify({ type: "x", id: 'a"b', parentId: null, timestamp: "" }),
    "an id that is long": JSON.stringify({ type: "x", id: "a".repeat(256), parentId: null }),
    "a parent that is no text": JSON.stringify({ type: "x", id: "a", parentId: 7, timestamp: "" }),
    nothing: "",
  };
  for (const [what, text] of Object.entries(odd))
    it(`leaves to the decoder: ${what}`, () => assert.equal(readLink(encoder.encode(text)), null));
});
