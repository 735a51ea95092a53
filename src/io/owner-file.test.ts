import assert from "node:assert/strict";
import { test } from "node:test";
import { currentOwner, OwnerFile } from "./owner-file.ts";
import { MemoryFileSystem } from "./testing/memory-file-system.ts";
import { seededRandom } from "./testing/seeded-random.ts";

const yes = () => true;

function ownerFile(fileSystem: MemoryFileSystem, pid = 1, seed = 1): OwnerFile {
  const owner = { ...currentOwner(), pid };
  return new OwnerFile({ fileSystem, path: "/s.owner", owner, random: seededRandom(seed) });
}

test("the present process", () => {
  const owner = currentOwner();
  assert.equal(owner.pid, process.pid);
  assert.ok(Math.abs(Date.now() - process.uptime() * 1000 - owner.startedAt) < 2000);
  assert.doesNotMatch(owner.command, /\//);
});

test("claims once, claims again after somebody else, removes only its own", async () => {
  const fs = new MemoryFileSystem();
  const [a, b] = [ownerFile(fs, 1, 1), ownerFile(fs, 2, 2)];
  const writes = () => fs.ops.filter(({ operation }) => operation === "rename").length;
  const settled = async () => {
    // The line of works of each file ends with this one, which finds nothing of a third owner.
    await ownerFile(fs, 3, 3).remove();
  };
  a.claim(yes);
  a.claim(yes);
  a.claim(() => false);
  await a.read();
  while (writes() < 1) await settled();
  assert.equal((await b.read())?.pid, 1);
  b.claim(yes);
  while (writes() < 2) await settled();
  a.claim(yes);
  while (writes() < 3) await settled();
  await b.remove();
  assert.equal((await b.read())?.pid, 1);
  await a.remove();
  await a.remove();
  assert.deepEqual(fs.paths(), ["/"]);
  assert.equal(writes(), 3);
});

test("failures stop nobody and are kept", async () => {
  const fs = new MemoryFileSystem();
  const file = ownerFile(fs);
  assert.equal(file.trouble, undefined);
  fs.failNext("open", { errno: "ENOSPC" });
  file.claim(yes);
  await file.remove();
  assert.ok(file.trouble);
  assert.equal(await file.read(), null);
});

test("a file that says nothing usable gives null", async () => {
  const fs = new MemoryFileSystem();
  const file = ownerFile(fs);
  const base = { pid: 1, startedAt: 2, host: "h", command: "c" };
  const bad = [
    "",
    "1",
    "null",
    "{}",
    "[]",
    ...Object.keys(base).map((key) => JSON.stringify({ ...base, [key]: {} })),
  ];
  for (const content of bad) {
    fs.place("/s.owner", "file", content);
    assert.equal(await file.read(), null, content);
  }
  for (const key of Object.keys(base)) {
    fs.place("/s.owner", "file", JSON.stringify({ ...base, [key]: undefined }));
    assert.equal(await file.read(), null, key);
  }
  fs.place("/s.owner", "file", JSON.stringify(base));
  assert.deepEqual(await file.read(), base);
});
