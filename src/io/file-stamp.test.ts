import assert from "node:assert/strict";
import { mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { stampNow, stampOf, stampOfNumbers } from "./file-stamp.ts";
import { createNodeFileSystem } from "./node-file-system.ts";
import { seededRandom } from "./testing/seeded-random.ts";

test("a stamp at once is what the file system tells, to the last bit of the time", async () => {
  const folder = mkdtempSync(join(tmpdir(), "file-stamp-"));
  const fs = createNodeFileSystem();
  const random = seededRandom(1);
  try {
    const file = join(folder, "file");
    writeFileSync(file, "12345");
    for (const path of [file, folder, "/dev/null"]) {
      const stat = await fs.stat(path);
      assert.deepEqual(stampNow(path), stat && stampOf(stat));
    }
    for (let time = 0; time < 200; time++) {
      const seconds = 2e9 * random.float();
      utimesSync(file, seconds, seconds);
      assert.equal(stampNow(file)?.mtimeMs, (await fs.stat(file))?.mtimeMs, `${seconds}`);
    }
    assert.equal(stampNow(join(folder, "gone")), undefined);
    assert.equal(stampNow("with a NUL \0"), undefined);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("an inode or device that no number holds is not told at once", () => {
  const stats = { dev: 1, ino: 2 ** 53 - 1, size: 5, mtimeMs: 6 };
  assert.equal(stampOfNumbers(stats)?.identity, "1:9007199254740991");
  assert.equal(stampOfNumbers({ ...stats, ino: 2 ** 53 }), undefined);
  assert.equal(stampOfNumbers({ ...stats, dev: 2 ** 60 }), undefined);
});
