import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { after, test } from "node:test";
import type { Entry } from "../src/entry/entry.ts";
import { detectFormat } from "../src/entry/format.ts";
import type { Message } from "../src/entry/message.ts";
import { SessionDecoder } from "../src/entry/session-decoder.ts";
import { V4Decoder } from "../src/entry/v4-decoder.ts";
import { projectRaw, type RawProjection } from "../src/projection/raw.ts";
import { SessionTree } from "../src/tree/session-tree.ts";
import { physicalLines, type ReadFile, readFile } from "./builders/read-lines.ts";

/** Facts of the genuine Pi files (formats.md §13). Files that may not be copied are skipped where the folder is not there. */
const FOLDERS = ["../../shared/fixtures/pi/", "../examples/sessions/"].map(
  (folder) => new URL(folder, import.meta.url),
);
const missing: string[] = [];

type Members = Readonly<Record<string, unknown>>;
interface Loaded extends ReadFile {
  readonly decoder: SessionDecoder | V4Decoder;
  readonly tree: SessionTree;
  readonly byId: ReadonlyMap<string, Entry>;
  readonly bytes: Buffer;
}

function locate(name: string): URL | undefined {
  return FOLDERS.map((folder) => new URL(`${name}.jsonl`, folder)).find((file) => existsSync(file));
}

function load(name: string): Loaded {
  const bytes = readFileSync(locate(name) ?? assert.fail(name));
  const [first] = physicalLines(bytes);
  const format = detectFormat(new TextDecoder().decode(first?.bytes ?? new Uint8Array()));
  const decoder = format === "pi-v4" ? new V4Decoder() : new SessionDecoder();
  const file = readFile(decoder, bytes);
  const tree = new SessionTree(decoder.header?.id ?? "");
  for (const one of file.all) {
    if (one.kind === "lost") tree.addLost(one);
    else tree.add(one.entry);
  }
  const byId = new Map(file.entries.map((entry) => [entry.id, entry]));
  return { ...file, decoder, tree, byId, bytes };
}

function fact(title: string, names: readonly string[], run: (...files: Loaded[]) => void): void {
  const absent = names.filter((name) => locate(name) === undefined);
  missing.push(...absent);
  const skip = absent.length === 0 ? false : `not there: ${absent.join(", ")}`;
  test(`${names.join(" and ")}: ${title}`, { skip }, () => run(...names.map(load)));
}

after(() => {
  if (missing.length === 0) return;
  const names = new Set(missing);
  console.error(`SKIPPED: ${names.size} fixture files are not there: ${[...names].join(", ")}`);
});

const raw = (file: Loaded, at: string | null = file.tree.leaf()): RawProjection =>
  projectRaw(file.tree.rawPath(at).map((step) => file.byId.get(step.id) as Entry));

/** Entries that nothing but a leaf entry hangs under. */
const tips = (file: Loaded): readonly string[] =>
  file.ids.filter((id) => {
    const isEnd = file.tree.children(id).every((child) => child.type === "leaf");
    return isEnd && file.byId.get(id)?.type !== "leaf";
  });
const forkPoints = (file: Loaded): number =>
  file.ids.filter((id) => file.tree.children(id).length > 1).length;
const without = (value: Members, names: readonly string[]): Members =>
  Object.fromEntries(Object.entries(value).filter(([name]) => !names.includes(name)));

fact("1,003 lines, kept indexes 293 and 551", ["v1-before-compaction"], (file) => {
  const { decoder, entries, codes, tail } = file;
  assert.deepEqual([decoder.version, entries.length, codes], [1, 1002, []]);
  assert.deepEqual(tail, { incompleteGroup: null, torn: null, unterminated: false });
  const kept = entries.filter((one) => one.type === "compaction") as unknown as Members[];
  assert.deepEqual(
    kept.map((one) => Number.parseInt(String(one.firstKeptEntryId), 16)),
    [293, 551],
  );
  assert.deepEqual(load("v1-before-compaction").entries, entries);
});

fact(
  "the upgrade is the migration of Pi, but for the ids",
  ["v1-before-compaction", "v3-before-compaction-migrated"],
  (old, migrated) => {
    assert.equal(old.entries.length, migrated.entries.length);
    const frame = ["id", "parentId", "firstKeptEntryId"];
    const places = [old, migrated].map((file) => new Map(file.ids.map((id, index) => [id, index])));
    const place = (file: number, id: unknown): unknown => places[file]?.get(String(id)) ?? id;
    for (const [index, entry] of old.entries.entries()) {
      const golden = migrated.entries[index] as unknown as Members;
      const ours = entry as unknown as Members;
      assert.deepEqual(without(ours, frame), without(golden, frame), String(index));
      for (const name of frame) assert.equal(place(0, ours[name]), place(1, golden[name]), name);
    }
    assert.deepEqual(raw(old).messages, raw(migrated).messages);
    assert.deepEqual(raw(old).model, raw(migrated).model);
    assert.ok(raw(old).messages.length > 100);
  },
);

fact("a long v1 file is one chain without findings", ["v1-large-session"], (file) => {
  assert.deepEqual([file.entries.length, file.codes, forkPoints(file)], [1018, [], 0]);
  assert.equal(file.tree.get(file.tree.leaf() ?? "")?.fold.messages, 914);
});

fact("v2 opens and shows both messages", ["v2-compat"], (file) => {
  assert.deepEqual([file.decoder.version, file.codes, file.ids], [2, [], ["v1000001", "v2000002"]]);
  assert.deepEqual(
    raw(file).messages.map((one) => one.role),
    ["user", "assistant"],
  );
});

fact("the leaf is what the last leaf entry names", ["v3-core-0.80.10-leaf"], (file) => {
  const last = file.entries.at(-1);
  assert.deepEqual([last?.type, file.tree.leaf()], ["leaf", "e0369afe"]);
  const chain = file.tree.path(last?.parentId ?? null).map((at) => at.id);
  assert.equal(chain.includes("e0369afe"), false);
  assert.deepEqual(
    raw(file).messages.map((one) => one.role),
    ["user", "assistant", "user", "assistant"],
  );
  assert.equal(JSON.stringify(raw(file).messages.at(-1)).includes("A done"), true);
  assert.deepEqual(file.tree.get("cee944dc")?.fold.activeTools, ["read"]);
  assert.deepEqual(file.decoder.header?.metadata, { app: "fixture", tags: ["a"] });
});

fact(
  "all eleven types, 2 fork points, 2 roots, nothing kept once",
  ["v3-all-entry-types"],
  (file) => {
    assert.deepEqual([file.codes, forkPoints(file)], [[], 2]);
    assert.equal(file.tree.children(null).length, 2);
    assert.equal(new Set(file.entries.map((one) => one.type)).size, 11);
    const compactions = file.entries.filter(
      (one) => one.type === "compaction",
    ) as unknown as Members[];
    assert.equal(compactions.filter((one) => one.firstKeptEntryId === one.id).length, 1);
  },
);

fact("3 tips, a label, a name", ["v3-tui-branches"], (file) => {
  assert.deepEqual([file.codes, tips(file).length, forkPoints(file)], [[], 3, 2]);
  assert.deepEqual(
    [...file.tree.labels().values()].map((row) => [row.targetId, row.label]),
    [["beaaa8f2", "checkpoint-1"]],
  );
  assert.equal(file.tree.name(), "Fixture session");
});

fact("a damaged line in the middle costs only itself", ["v3-corrupt-interior"], (file) => {
  assert.deepEqual([file.codes, file.decoder.problems[0]?.line], [["LINE_NOT_JSON"], 3]);
  assert.deepEqual(raw(file).entries, ["x1000001", "x2000002"]);
});

fact(
  "an unknown type survives beside a damaged line",
  ["v3-malformed-line-unknown-type"],
  (file) => {
    assert.deepEqual([file.codes, file.decoder.problems[0]?.line], [["LINE_NOT_JSON"], 10]);
    const stored = { type: "unknown_future_entry_type", id: "entry-9", parentId: "entry-8" };
    assert.deepEqual(file.entries.at(-1), { ...stored, timestamp: "2025-01-01T10:00:09Z" });
    assert.equal(file.tree.leaf(), "entry-9");
    assert.equal(file.entries.length, 9);
  },
);

fact("a branch summary and a compaction", ["v3-branch-compaction-small"], (file) => {
  assert.deepEqual([file.codes, tips(file)], [[], ["u8000008", "a9000009"]]);
  assert.equal(raw(file).messages[0]?.role, "compactionSummary");
  assert.deepEqual(
    raw(file, "u8000008").messages.map((one) => one.role),
    ["user", "branchSummary", "user"],
  );
});

fact("a fork names its parent", ["v3-forked-child"], (file) => {
  assert.equal(typeof file.decoder.header?.parentSession, "string");
  assert.deepEqual([file.codes, forkPoints(file)], [[], 0]);
});

fact(
  "two named branches and a compaction with its tail found",
  ["v4-native-two-branches"],
  (file) => {
    assert.deepEqual(file.codes, []);
    const branches = file.tree.branches();
    assert.deepEqual(
      branches.map((branch) => branch.name),
      ["main", "alt"],
    );
    assert.deepEqual(
      raw(file).messages.map((one) => one.role),
      ["compactionSummary", "assistant"],
    );
    assert.deepEqual(raw(file).model, { provider: "anthropic", modelId: "claude-sonnet-4-5" });
    assert.equal(raw(file).thinkingLevel, "low");
    const alt = raw(file, branches[1]?.head ?? null).messages.map((one) => textOf(one));
    assert.deepEqual(alt, ["choose A or B", "which?", "B", "B done"]);
    assert.deepEqual(
      [...file.tree.labels().values()].map((row) => row.label),
      ["a-done"],
    );
    assert.equal(file.tree.name(), "Native v4");
  },
);

/** The text of a message, whatever its role. */
function textOf(message: Message): string {
  const { content, summary, command } = message as Members;
  if (Array.isArray(content))
    return content.map((block) => block.text ?? block.thinking ?? block.name).join("|");
  return String(content ?? summary ?? command);
}

fact(
  "an upgrade shows the same messages on every branch",
  ["v3-tui-branches", "v4-upgraded-from-tui-branches"],
  (old, upgraded) => {
    assert.deepEqual(upgraded.codes, []);
    // The importer drops the system message that the compaction holds.
    const texts = (file: Loaded, at: string | null): readonly string[] =>
      raw(file, at)
        .messages.filter((one) => one.role !== "system")
        .map(textOf);
    assert.deepEqual(texts(upgraded, upgraded.tree.leaf()), texts(old, old.tree.leaf()));
    const all = (file: Loaded): readonly string[] =>
      tips(file)
        .map((id) => JSON.stringify(texts(file, id)))
        .toSorted();
    assert.deepEqual(all(upgraded), all(old));
    assert.equal(all(old).length, 3);
    assert.equal(upgraded.tree.name(), "Upgraded");
    const label = [...upgraded.tree.labels().values()][0];
    assert.equal(label?.label, "checkpoint-1");
    assert.equal(upgraded.byId.get(label?.targetId ?? "")?.type, "message");
    const leaf = (file: Loaded) => file.tree.get(file.tree.leaf() ?? "")?.fold.usage.input;
    assert.equal(leaf(upgraded), leaf(old));
  },
);

test("the description's own file loads: every type, its labels, its text", () => {
  const file = load("format-sample");
  assert.equal(file.entries.length, 13);
  assert.deepEqual(file.codes, []);
  assert.notEqual(file.tree.leaf(), null);
  assert.ok(file.tree.labels().size > 0);
});
