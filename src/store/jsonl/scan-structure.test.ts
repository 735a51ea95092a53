import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { randomSession } from "../../../test/index/random-session.ts";
import { assertSameBase } from "../../../test/index/same-answers.ts";
import type { Entry } from "../../entry/entry.ts";
import { encodeEntry, encodeHeader } from "../../entry/line-encode.ts";
import { AppendFile } from "../../io/append-file.ts";
import { MemoryFileSystem } from "../../io/testing/memory-file-system.ts";
import type { KnownSession } from "./known-session.ts";
import { scanStructure } from "./scan-structure.ts";
import { SessionFile } from "./session-file.ts";
import { piHeader, piLine } from "./testing/memory-fixture.ts";

const PATH = "/s.jsonl";

function place(content: string): MemoryFileSystem {
  const memory = new MemoryFileSystem();
  memory.place(PATH, "file", Buffer.from(content));
  return memory;
}

async function scan(memory: MemoryFileSystem): Promise<KnownSession | null> {
  const file = await AppendFile.open(memory, PATH, { mode: "read" });
  const known = await scanStructure(file);
  await file.close();
  return known;
}

describe("scanStructure", () => {
  it("knows of random sessions what reading them as a whole shows", async () => {
    for (let seed = 1; seed <= 40; seed++) {
      const memory = place(randomSession(seed, 50).lines.join(""));
      const known = await scan(memory);
      const whole = await SessionFile.open(memory, PATH, { mode: "read" });
      await whole.file.close();
      assert.ok(known, `seed ${seed}`);
      assertSameBase(known.base, whole.tree);
      assert.deepEqual(known.header, whole.header);
      assert.equal(known.known, whole.end);
      assert.equal(known.isAlive(), true);
      for (const { id } of whole.tree.entries())
        assert.deepEqual(known.placeOf(id), whole.placeOf(id));
      assert.equal(known.placeOf("nobody"), null);
      for (const key of ["k1", "k2", "k3", "k4", "k5", "none"])
        assert.deepEqual(known.idsOfKey(key), whole.idsOfKey(key));
    }
  });

  it("leaves what is unusual to the whole reader", async () => {
    const head = piHeader("s");
    const sound = [piLine("a", null, "x"), piLine("b", "a", "y")].join("");
    const odd = [
      sound,
      "",
      "\n",
      `${head}${sound}${head}`,
      `${head}${piLine("b", "a", "y")}`,
      `${head}${sound}${piLine("a", "b", "x")}`,
      `${head}${sound.replace('"x"', '"x')}${piLine("c", "b", "z")}`,
      `${head}${sound.slice(0, -30)}\n`,
    ];
    for (const content of odd) assert.equal(await scan(place(content)), null, content);
    assert.equal((await scan(place(`${head}${sound}`)))?.base.size, 2);
  });

  it("knows the keys of commits of several entries", async () => {
    const entry = (id: string, parentId: string | null): Entry => {
      return { type: "custom", id, parentId, timestamp: "t", customType: "x" } as Entry;
    };
    const lines = [
      encodeHeader({ type: "session", version: 3, id: "s", timestamp: "t", cwd: "/" }),
      encodeEntry(entry("a", null), { key: "k", commit: { id: "c", i: 1, n: 2 } }),
      encodeEntry(entry("b", "a"), { key: "k", commit: { id: "c", i: 2, n: 2 } }),
    ];
    const known = await scan(place(Buffer.concat(lines).toString()));
    assert.deepEqual(known?.idsOfKey("k"), ["a", "b"]);
  });

  it("knows nothing of an unfinished last line", async () => {
    const head = `${piHeader("s")}${piLine("a", null, "x")}`;
    const known = await scan(place(`${head}${piLine("b", "a", "y").slice(0, -9)}`));
    assert.deepEqual([known?.base.size, known?.known, known?.nextLine], [1, head.length, 3]);
    assert.equal(Buffer.from(known?.fingerprint ?? []).toString(), head.slice(-64));
  });

  it("leaves a line of 70 MB to the whole reader (rows 28, 29)", async () => {
    const long = piLine("a", null, "x".repeat(70 * 1024 * 1024));
    assert.equal(await scan(place(`${piHeader("s")}${long}`)), null);
  });
});
