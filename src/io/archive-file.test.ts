import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { zstdDecompressSync } from "node:zlib";
import { BranchlineError } from "../errors.ts";
import { openArchive } from "./archive-file.ts";
import {
  isArchivePath,
  unarchivedPath,
  withArchives,
  withoutArchives,
} from "./archive-file-system.ts";
import { archiveFault, FRAME_BYTES } from "./archive-limits.ts";
import { packArchive } from "./archive-writer.ts";
import type { FileHandle } from "./file-system.ts";
import { readExactly } from "./read-exactly.ts";
import { decodeSeekTable, encodeSeekTable, seekTableLength } from "./seek-table.ts";
import { MemoryFileSystem } from "./testing/memory-file-system.ts";
import { unpackFrame } from "./zstd-frame.ts";

const PATH = "/a.jsonl.zst";

async function* chunksOf(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.byteLength; at += size) yield bytes.subarray(at, at + size);
}

async function pack(bytes: Uint8Array, size = 1_000_003): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const part of packArchive(chunksOf(bytes, size), { path: "/a.jsonl" }))
    parts.push(part);
  return Buffer.concat(parts);
}

async function open(
  archive: Uint8Array,
  damaged: "nul" | "refuse" = "refuse",
): Promise<{ handle: FileHandle; fs: MemoryFileSystem }> {
  const fs = new MemoryFileSystem();
  fs.place(PATH, "file", archive);
  return { fs, handle: await openArchive(await fs.open(PATH, "read"), { path: PATH, damaged }) };
}

/** Lines of random-looking text with a seed: 20 MB, so three frames. */
function lines(bytes: number): Buffer {
  const parts: string[] = [];
  let length = 0;
  for (let index = 0; length < bytes; index++) {
    const hash = createHash("sha256").update(`7:${index}`).digest("hex");
    const line = `{"id":"${hash}","text":"${"中文 text ".repeat(200)}${hash}"}\n`;
    parts.push(line);
    length += Buffer.byteLength(line);
  }
  return Buffer.from(parts.join(""));
}

const textOf = (bytes: Uint8Array | null): string => Buffer.from(bytes ?? []).toString();

const hasCode = (code: string) => (error: unknown) =>
  BranchlineError.is(error) && error.code === code;
const hasErrnoOf = (errno: string) => (error: unknown) =>
  BranchlineError.is(error, "IO_FAILED") && error.fields.errno === errno;

test("an archive gives every byte range, and zstd tools unpack it too", async () => {
  const content = lines(20_000_000);
  const archive = await pack(content);
  assert.ok(archive.byteLength < content.byteLength / 5);
  // Node's own function stops behind the first frame; `zstd -d` unpacks all.
  const head = zstdDecompressSync(archive);
  assert.ok(content.subarray(0, head.byteLength).equals(head));
  const { handle } = await open(archive);
  assert.equal((await handle.stat()).size, content.byteLength);
  for (const [from, length] of [
    [0, 1],
    [0, content.byteLength + 10],
    [FRAME_BYTES - 20_000, 40_000],
    [2 * FRAME_BYTES - 60_000, 90_000],
    [content.byteLength - 5, 5],
    [content.byteLength, 5],
    [10, 0],
  ] as const) {
    const got = await readExactly(handle, from, length);
    assert.ok(content.subarray(from, from + length).equals(got), `${from}+${length}`);
  }
  await handle.close();
});

test("a range costs the frames that hold it, once", async () => {
  const archive = await pack(lines(20_000_000));
  const { handle, fs } = await open(archive);
  const count = async (work: () => Promise<unknown>): Promise<number> => {
    let reads = 0;
    const raw = await fs.open(PATH, "read");
    const counting: FileHandle = {
      ...raw,
      read: (buffer, position) => {
        reads++;
        return raw.read(buffer, position);
      },
    };
    const counted = await openArchive(counting, { path: PATH, damaged: "refuse" });
    reads = 0;
    current = counted;
    await work();
    return reads;
  };
  let current = handle;
  const reads = await count(async () => {
    await readExactly(current, 100, 1000);
    await readExactly(current, 5000, 1000);
    await readExactly(current, FRAME_BYTES + 5000, 1000);
    await readExactly(current, 100, 1000);
    await readExactly(current, 2 * FRAME_BYTES + 5000, 10);
  });
  assert.equal(reads, 3);
});

test("frames end behind a newline; a line without end is cut, and nothing is lost", async () => {
  const giant = Buffer.alloc(2 * FRAME_BYTES + 17, "x");
  for (let at = 0; at < giant.byteLength; at += 97) giant[at] = 33 + (at % 90);
  for (const content of [
    Buffer.alloc(0),
    Buffer.from("\n"),
    Buffer.from("no newline"),
    Buffer.concat([Buffer.from("short\n"), giant]),
    Buffer.concat([giant.subarray(0, FRAME_BYTES - 1), Buffer.from("\n")]),
  ]) {
    const { handle } = await open(await pack(content));
    assert.ok(content.equals(await readExactly(handle, 0, content.byteLength + 1)));
  }
  const text = lines(FRAME_BYTES + 1000);
  const archive = await pack(text);
  const length = seekTableLength(archive.subarray(-9)) ?? 0;
  const [first] = decodeSeekTable(archive.subarray(-length)) ?? [];
  assert.equal(text[(first?.content ?? 0) - 1], 0x0a);
});

test("an archive is not written to", async () => {
  const { handle } = await open(await pack(Buffer.from("a\n")));
  for (const refused of [
    () => handle.write(Buffer.from("b")),
    () => handle.datasync(),
    () => handle.sync(),
    () => handle.truncate(0),
  ]) {
    await assert.rejects(refused, hasErrnoOf("EROFS"));
  }
});

test("a damaged frame is refused, or read as NUL bytes so that the rest stays readable (P7)", async () => {
  const content = lines(20_000_000);
  const archive = await pack(content);
  archive[50] = (archive[50] ?? 0) ^ 0xff;
  const strict = await open(archive);
  await assert.rejects(readExactly(strict.handle, 0, 10), hasErrnoOf("EBADMSG"));
  await assert.rejects(readExactly(strict.handle, 0, 10), hasErrnoOf("EBADMSG"));
  assert.ok(
    content.subarray(-9).equals(await readExactly(strict.handle, content.byteLength - 9, 9)),
  );
  const lenient = await open(archive, "nul");
  assert.deepEqual(await readExactly(lenient.handle, 0, 4), new Uint8Array(4));
  assert.equal((await lenient.handle.stat()).size, content.byteLength);
});

test("a frame with another check sum, too short or too long is damaged", async () => {
  const archive = await pack(Buffer.from("hello\n"));
  const length = seekTableLength(archive.subarray(-9)) ?? 0;
  const [row] = decodeSeekTable(archive.subarray(-length)) ?? [];
  assert.ok(row !== undefined);
  const frame = archive.subarray(0, row.compressed);
  assert.equal(textOf(await unpackFrame(frame, row)), "hello\n");
  assert.equal(await unpackFrame(frame, { ...row, checksum: 1 }), null);
  assert.equal(await unpackFrame(frame, { ...row, content: 5 }), null);
  assert.equal(await unpackFrame(frame, { ...row, content: 0 }), null);
  assert.equal(await unpackFrame(frame, { ...row, content: 7 }), null);
  assert.equal(await unpackFrame(new Uint8Array(3), row), null);
});

test("what is no archive is told apart, whatever its table says (S17)", async () => {
  const good = await pack(Buffer.from("hello\n"));
  const row = { compressed: 10, content: 10, checksum: 0 };
  const table = (rows: readonly (typeof row)[]) => Buffer.from(encodeSeekTable(rows));
  const withByte = (at: number, value: number): Buffer => {
    const copy = Buffer.from(good);
    copy[at < 0 ? copy.length + at : at] = value;
    return copy;
  };
  const bad: Record<string, Uint8Array> = {
    empty: new Uint8Array(0),
    short: new Uint8Array(8),
    text: Buffer.from('{"type":"session"}\n'),
    "cut at the end": good.subarray(0, -1),
    "cut at the start": good.subarray(1),
    "more frames than fit": withByte(-9, 200),
    "no check sums": withByte(-5, 0),
    "another magic number": withByte(-29, 0),
    "another length": withByte(-25, 1),
    "a larger frame than any": table([{ ...row, compressed: 0, content: FRAME_BYTES + 1 }]),
    "a bomb": table(new Array(20).fill({ ...row, compressed: 0, content: FRAME_BYTES })),
    "frames that are not there": table([row]),
  };
  for (const [name, bytes] of Object.entries(bad)) {
    await assert.rejects(open(bytes), hasCode("SESSION_INVALID"), name);
  }
  assert.match(archiveFault(new Array(131_073).fill(row)) ?? "", /frames/);
  assert.equal(archiveFault([row]), null);
});

test("what a reader would refuse as a bomb is not written (S17)", async () => {
  const zeros = new Uint8Array(9 * FRAME_BYTES);
  await assert.rejects(pack(zeros, FRAME_BYTES), hasCode("NOT_SUPPORTED"));
});

test("a file system with archives shows what they hold; everything else goes through", async () => {
  const base = new MemoryFileSystem();
  const fs = withArchives(base);
  assert.equal(withArchives(fs), fs);
  assert.equal(withoutArchives(fs), base);
  assert.equal(withoutArchives(base), base);
  assert.equal(isArchivePath("/x.jsonl"), false);
  assert.equal(unarchivedPath("/x.jsonl"), "/x.jsonl");
  assert.equal(unarchivedPath(PATH), "/a.jsonl");
  base.place(PATH, "file", await pack(Buffer.from("hello\n")));
  base.place("/bad.jsonl.zst", "file", "no archive");
  base.place("/x.jsonl", "file", "plain");
  assert.equal((await fs.stat(PATH))?.size, 6);
  assert.equal(
    (await fs.lstat(PATH))?.size,
    base.text(PATH) === "" ? 0 : (await base.stat(PATH))?.size,
  );
  assert.equal((await fs.stat("/bad.jsonl.zst"))?.size, 10);
  assert.equal((await fs.stat("/x.jsonl"))?.size, 5);
  assert.equal(await fs.stat("/none.jsonl.zst"), undefined);
  base.failNext("read", { errno: "EIO", path: PATH });
  await assert.rejects(fs.stat(PATH), hasErrnoOf("EIO"));
  await assert.rejects(fs.open(PATH, "append"), hasErrnoOf("EROFS"));
  await assert.rejects(fs.open("/bad.jsonl.zst", "read"), hasCode("SESSION_INVALID"));
  const plain = await fs.open("/x.jsonl", "append");
  await plain.close();
  assert.equal(await fs.realpath(PATH), PATH);
  await fs.makeDirectory("/d");
  await fs.rename(PATH, "/d/b.jsonl.zst");
  await fs.link("/d/b.jsonl.zst", "/d/c.jsonl.zst");
  await fs.setTimes("/d/c.jsonl.zst", 5, 5);
  assert.equal((await fs.stat("/d/c.jsonl.zst"))?.mtimeMs, 5);
  await fs.syncDirectory("/d");
  assert.equal(await fs.removeFile("/d/b.jsonl.zst"), true);
  assert.deepEqual(
    (await fs.readDirectory("/d")).map(({ name }) => name),
    ["c.jsonl.zst"],
  );
  assert.equal(textOf(await fs.readFile("/x.jsonl", { maxBytes: 5 })), "plain");
});
