import assert from "node:assert/strict";
import { test } from "node:test";
import { BranchlineError } from "../../errors.ts";
import { isInsideFolders } from "./inside-folders.ts";
import { MemoryMachine } from "./testing/memory-fixture.ts";

test("a path is inside where it really lies below a folder; broken links lead nowhere (P10)", async () => {
  const { fs } = new MemoryMachine();
  for (const folder of ["/data", "/data-2", "/away"]) fs.place(folder, "directory");
  fs.place("/data/out", "link", "/away");
  fs.place("/in", "link", "/data");
  fs.place("/broken", "link", "/gone");
  const inside = (path: string, ...folders: readonly string[]): Promise<boolean> =>
    isInsideFolders(fs, folders, path);
  assert.equal(await inside("/data/not/yet.jsonl", "/broken", "/data"), true);
  assert.equal(await inside("/in/yet.jsonl", "/data"), true);
  assert.equal(await inside("/data/yet.jsonl", "/in"), true);
  assert.equal(await inside("/data/out/yet.jsonl", "/data"), false);
  assert.equal(await inside("/data-2/yet.jsonl", "/data"), false);
  assert.equal(await inside("/broken/yet.jsonl", "/"), false);
  assert.equal(await inside("/anything", "/"), true);
  const fields = { operation: "realpath", path: "/data", errno: "EACCES" };
  const refusing = Object.assign(Object.create(fs), {
    realpath: () => Promise.reject(new BranchlineError("IO_FAILED", fields, { message: "no" })),
  });
  await assert.rejects(isInsideFolders(refusing, ["/data"], "/data/x"), { code: "IO_FAILED" });
});
