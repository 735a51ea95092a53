import assert from "node:assert/strict";
import { test } from "node:test";
import { BranchlineError } from "../../errors.ts";
import { environment } from "./environment.ts";
import { moveFile } from "./move-file.ts";
import { MemoryMachine } from "./testing/memory-fixture.ts";

function prepared(): { readonly machine: MemoryMachine; move(): Promise<void> } {
  const machine = new MemoryMachine();
  machine.fs.place("/data", "directory");
  machine.fs.place("/data/a.jsonl", "file", "a\n");
  const env = environment({ fileSystem: machine.fs, clock: machine.clock });
  return { machine, move: () => moveFile(env, "/data/a.jsonl", "/data/b/a.jsonl") };
}

test("a move that fails after the new name is there takes it away again (P5)", async () => {
  for (const operation of ["syncDirectory", "removeFile"] as const) {
    const { machine, move } = prepared();
    const path = operation === "removeFile" ? "/data/a.jsonl" : "/data/b";
    machine.fs.failNext(operation, { errno: "EIO", path });
    await assert.rejects(move(), (error) => BranchlineError.is(error, "IO_FAILED"));
    assert.deepEqual(machine.fs.paths(), ["/", "/data", "/data/a.jsonl", "/data/b"]);
    await move();
    assert.deepEqual(machine.fs.paths(), ["/", "/data", "/data/b", "/data/b/a.jsonl"]);
  }
});

test("where the new name cannot be taken away either, both stay and the first failure is told", async () => {
  const { machine, move } = prepared();
  machine.fs.failNext("syncDirectory", { errno: "ENOSPC", path: "/data/b" });
  machine.fs.failNext("removeFile", { errno: "EIO" });
  await assert.rejects(
    move(),
    (error) => BranchlineError.is(error, "IO_FAILED") && error.fields.errno === "ENOSPC",
  );
  assert.equal(machine.fs.text("/data/a.jsonl"), "a\n");
  assert.equal(machine.fs.text("/data/b/a.jsonl"), "a\n");
});

test("a move never takes away a file of another that stands at the new name", async () => {
  const { machine, move } = prepared();
  machine.fs.place("/data/b", "directory");
  machine.fs.place("/data/b/a.jsonl", "file", "other\n");
  await assert.rejects(
    move(),
    (error) => BranchlineError.is(error, "IO_FAILED") && error.fields.errno === "EEXIST",
  );
  assert.equal(machine.fs.text("/data/b/a.jsonl"), "other\n");
});

test("a second name that somebody else gave the file is not taken away (P5)", async () => {
  const { machine, move } = prepared();
  machine.fs.place("/data/b", "directory");
  await machine.fs.link("/data/a.jsonl", "/data/b/a.jsonl");
  await assert.rejects(
    move(),
    (error) => BranchlineError.is(error, "IO_FAILED") && error.fields.errno === "EEXIST",
  );
  assert.deepEqual(machine.fs.paths(), [
    "/",
    "/data",
    "/data/a.jsonl",
    "/data/b",
    "/data/b/a.jsonl",
  ]);
});
