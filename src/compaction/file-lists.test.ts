import assert from "node:assert/strict";
import { test } from "node:test";
import type { Message } from "../entry/message.ts";
import { FileCollector, MAX_FILES, withFiles, withoutFiles } from "./file-lists.ts";

const call = (name: string, args: unknown, id: unknown = "c"): Message => {
  return { role: "assistant", content: [{ type: "toolCall", id, name, arguments: args }] };
};
const listsOf = (...messages: readonly Message[]) => {
  const files = new FileCollector();
  files.addMessages(messages);
  return files.lists();
};

test("tools that read and tools that change, by their usual names", () => {
  const read = ["read", "read_file", "readNote", "view", "cat"].map((name) =>
    call(name, { path: name }),
  );
  const write = [
    "write",
    "edit",
    "write_note",
    "MultiEdit",
    "apply_patch",
    "str_replace",
    "delete_file",
  ];
  const lists = listsOf(
    ...read,
    ...write.map((name) =>
      call(name === "MultiEdit" ? "multiEdit" : name, { file_path: `w/${name}` }),
    ),
    call("reader", { path: "no" }),
    call("bash", { command: "cat x" }),
    call("search", { path: "no" }),
  );
  assert.equal(lists.readFiles.length, 5);
  assert.equal(lists.modifiedFiles.length, 6);
});

test("P7 calls and details of any shape give nothing", () => {
  const files = new FileCollector();
  for (const details of [null, 5, { readFiles: "x", modifiedFiles: [1, "ok"] }])
    files.addDetails(details);
  files.addMessages([
    call("read", null),
    call("read", { path: 5 }),
    call("read", {}, 7),
    { role: "assistant" },
  ]);
  assert.deepEqual(files.lists(), { readFiles: [], modifiedFiles: ["ok"] });
});

test("F080 lists and what the model is told of them stay bounded", () => {
  const lists = listsOf(
    ...Array.from({ length: 900 }, (_, at) => call("read", { path: `f${at}` })),
  );
  assert.equal(lists.readFiles.length, MAX_FILES);
  assert.ok(lists.readFiles.includes("f899") && !lists.readFiles.includes("f0"));
  const text = withFiles("sum", lists);
  assert.ok(text.length < 1000 && text.includes("(440 more)"));
  assert.equal(withoutFiles(text), "sum");
});
