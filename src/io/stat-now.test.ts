import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { createNodeFileSystem } from "./node-file-system.ts";
import { statNow } from "./stat-now.ts";

test("statNow tells what the file system tells, and nothing of what is not there", async () => {
  const folder = mkdtempSync(join(tmpdir(), "stat-now-"));
  try {
    const file = join(folder, "file");
    writeFileSync(file, "12345");
    for (const path of [file, folder, "/dev/null"])
      assert.deepEqual(statNow(path), await createNodeFileSystem().stat(path));
    assert.equal(statNow(join(folder, "gone")), undefined);
    assert.equal(statNow("with a NUL \0"), undefined);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
