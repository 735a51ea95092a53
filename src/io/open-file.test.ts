import assert from "node:assert/strict";
import { constants, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { OpenFile } from "./open-file.ts";

const root = mkdtempSync(join(tmpdir(), "open-file-"));
after(() => rmSync(root, { recursive: true }));

test("a close waits for what is under way: its number is not that of another file meanwhile", async () => {
  const [path, other] = [join(root, "busy"), join(root, "other")];
  const file = new OpenFile(path, constants.O_RDWR | constants.O_APPEND | constants.O_CREAT, 0o600);
  const { fd } = file;
  const large = Buffer.alloc(8 * 1024 * 1024, "x");
  const done: string[] = [];
  const writing = file.write(large).then((written) => {
    assert.equal(written, large.byteLength);
    done.push("write");
  });
  const closing = file.close().then(() => done.push("close"));
  assert.equal(file.fd, -1);
  writeFileSync(other, "other");
  const beside = new OpenFile(other, constants.O_RDONLY, 0o600);
  assert.notEqual(beside.fd, fd);
  await Promise.all([writing, closing]);
  assert.deepEqual(done, ["write", "close"]);
  assert.equal(readFileSync(path).byteLength, large.byteLength);
  assert.equal(readFileSync(other, "utf8"), "other");
  await beside.close();
  await file.close();
});

test("a failed call is told and does not stand in the way of a close", async () => {
  const path = join(root, "failed");
  writeFileSync(path, "text");
  const file = new OpenFile(path, constants.O_RDONLY, 0o600);
  await assert.rejects(file.truncate(1), { code: "EINVAL" });
  await assert.rejects(file.write(Buffer.from("x")), { code: "EBADF" });
  const buffer = new Uint8Array(8);
  assert.equal(await file.read(buffer, 2), 2);
  await file.datasync();
  await file.sync();
  await file.close();
  await assert.rejects(file.sync(), { code: "ERR_OUT_OF_RANGE" });
});
