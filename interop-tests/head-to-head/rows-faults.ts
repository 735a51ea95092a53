/** Rows with crashes, full disks, power cuts, and files that change under their writer. */
import { spawnSync } from "node:child_process";
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { LoopDisk, type LoopKind, noLoopDisk } from "../../test/faults/loop-disk.ts";
import { Peer } from "./peer.ts";
import { ended, number, type Place, type Row, texts } from "./row.ts";

const SHIM_SOURCE = join(import.meta.dirname, "../../test/faults/torn-write.c");
const FILLER = "filler";

function noShim(): string | null {
  if (process.platform !== "linux") return "needs a preloaded library on Linux";
  return spawnSync("gcc", ["--version"]).status === 0 ? null : "no gcc to build the shim";
}

function noMount(): string | null {
  return process.getuid?.() === 0 ? null : "not root, so no small disk can be mounted";
}

/** A process dies at its n-th write to a session file; what is left must not be in the way. */
const FIRST_WRITE: Row = {
  row: 23,
  title: "crash at each of the first writes of a new session",
  needs: noShim,
  seconds: 60,
  run: async ({ side, name, folder, step, tell }) => {
    const shim = join(folder, "..", "shim.so");
    spawnSync("gcc", ["-shared", "-fPIC", "-O1", "-o", shim, SHIM_SOURCE, "-ldl"]);
    let unusable = 0;
    let crashes = 0;
    for (const at of ["1", "2"]) {
      const own = join(folder, at);
      mkdirSync(own);
      step(`crash at write ${at}`);
      const peer = new Peer(name, {
        LD_PRELOAD: shim,
        TORN_AT: at,
        TORN_HOW: "kill",
        TORN_PART: ".jsonl",
      });
      await peer.ask("start", own);
      if ((await peer.ask("append", "one")) === "gone") crashes++;
      await peer.kill();
      const files = readdirSync(own, { recursive: true, encoding: "utf8" });
      for (const file of files.filter((each) => each.endsWith(".jsonl"))) {
        const isFine = await side.open(own, join(own, file)).then(
          (session) => session.close().then(() => true),
          () => false,
        );
        if (!isFine) unusable++;
      }
    }
    tell({ crashes, unusable });
  },
  judge: ended((facts) => {
    if (number(facts, "crashes") === 0) return { grade: "none", text: "not run: nothing crashed" };
    return number(facts, "unusable") === 0
      ? { grade: "good", text: "whatever is left can be opened" }
      : { grade: "bad", text: "leaves a file that cannot be opened" };
  }),
};

/** Mounts a small disk at `<folder>/disk`. */
function mountSmall(folder: string, size: string): () => void {
  const disk = join(folder, "disk");
  mkdirSync(disk);
  spawnSync("mount", ["-t", "tmpfs", "-o", `size=${size}`, "none", disk]);
  return () => void spawnSync("umount", [disk]);
}

const FULL_LATER: Row = {
  row: 40,
  title: "disk full in the middle of an append, then room again and 5 more appends",
  needs: noMount,
  prepare: (folder) => mountSmall(folder, "256k"),
  run: async ({ side, folder, step, tell }) => {
    const disk = join(folder, "disk");
    writeFileSync(join(disk, FILLER), Buffer.alloc(100_000));
    const session = await side.start(disk);
    const acknowledged: string[] = [];
    step("append until full");
    for (let at = 0; at < 200; at++) {
      const text = `${at} ${"x".repeat(3000)}`;
      const isWritten = await session.append(text).then(
        () => true,
        () => false,
      );
      if (!isWritten) break;
      acknowledged.push(text);
    }
    rmSync(join(disk, FILLER));
    step("append with room");
    for (let at = 0; at < 5; at++) {
      const text = `later ${at}`;
      await session.append(text);
      acknowledged.push(text);
    }
    const file = session.file ?? "";
    await session.close();
    step("open afterwards");
    const again = await side.open(disk, file);
    const found = new Set((await again.texts()).texts);
    await again.close();
    const kept = acknowledged.filter((text) => found.has(text)).length;
    tell({ acknowledged: acknowledged.length, kept });
  },
  judge: ended((facts) => {
    const [all, kept] = [number(facts, "acknowledged"), number(facts, "kept")];
    const text = `${kept} of ${all} acknowledged messages in the context`;
    return { grade: kept === all ? "good" : "bad", text };
  }),
};

const FULL_FIRST: Row = {
  row: 41,
  title: "disk full at the first write, then room again and a retry",
  needs: noMount,
  prepare: (folder) => mountSmall(folder, "128k"),
  run: async ({ side, folder, step, tell }) => {
    const disk = join(folder, "disk");
    // The disk takes as much as it can.
    try {
      writeFileSync(join(disk, FILLER), Buffer.alloc(1_000_000));
    } catch (error) {
      tell({ filled: (error as { code?: string }).code });
    }
    const long = "x".repeat(8000);
    let session: Awaited<ReturnType<typeof side.start>> | null = null;
    const attempt = async (): Promise<string> => {
      try {
        session ??= await side.start(disk);
        await session.append(long);
        return "ok";
      } catch (error) {
        return String((error as { code?: unknown }).code);
      }
    };
    step("first write");
    tell({ first: await attempt() });
    rmSync(join(disk, FILLER));
    step("retry");
    tell({ retry: await attempt(), again: await attempt() });
  },
  judge: ended(({ first, retry }) => {
    if (first === "ok") return { grade: "none", text: "not run: the disk did not fill up" };
    return retry === "ok"
      ? { grade: "good", text: `${first}, the retry works` }
      : { grade: "bad", text: `${first}, the retry fails with ${retry}` };
  }),
};

const OLD_MESSAGES = 200;

const FULL_MIGRATION: Row = {
  row: 42,
  title: `disk full while a file of version 1 with ${OLD_MESSAGES} messages is upgraded`,
  needs: noMount,
  prepare: (folder) => mountSmall(folder, "128k"),
  run: async ({ side, folder, step, tell }) => {
    const disk = join(folder, "disk");
    const file = join(disk, "old.jsonl");
    const timestamp = "2026-01-02T03:04:05.000Z";
    const lines = Array.from({ length: OLD_MESSAGES }, (_, at) => ({
      ...{ type: "message", timestamp },
      message: { role: "user", content: `message ${at} ${"x".repeat(200)}`, timestamp: 1 },
    }));
    const header = { type: "session", id: "old", timestamp, cwd: "/project" };
    writeFileSync(file, [header, ...lines].map((line) => `${JSON.stringify(line)}\n`).join(""));
    try {
      writeFileSync(join(disk, FILLER), Buffer.alloc(1_000_000));
    } catch (error) {
      tell({ filled: (error as { code?: string }).code });
    }
    step("open and append");
    const said = await side
      .open(disk, file)
      .then((session) => session.append("new").finally(() => session.close()))
      .then(
        () => "ok",
        (error: unknown) => String((error as { code?: unknown }).code),
      );
    tell({ said });
    rmSync(join(disk, FILLER));
    step("open with room");
    const session = await side.open(disk, file);
    tell({
      kept: (await session.texts()).texts.filter((text) => text.startsWith("message")).length,
    });
    await session.close();
  },
  judge: ended((facts) => {
    const kept = number(facts, "kept");
    const text = `${facts.said}; ${kept} of ${OLD_MESSAGES} messages afterwards`;
    return { grade: kept === OLD_MESSAGES ? "good" : "bad", text };
  }),
};

/** Seconds of writing before each cut: the kernel writes back by itself about every five. */
const CUT_AFTER = [1, 2, 3];

interface Cut {
  readonly acknowledged: number;
  readonly kept: number;
  readonly present: boolean;
}

/** A new disk, a writer that works for so long, then the power goes. */
async function cutOnce(kind: LoopKind, { side, name, step }: Place, seconds: number): Promise<Cut> {
  const disk = new LoopDisk(kind);
  try {
    const peer = new Peer(name);
    await peer.ask("start", disk.root);
    void peer.ask("append", "text", "1000000");
    step("write");
    await new Promise((done) => setTimeout(done, seconds * 1000));
    const acknowledged = [...peer.acknowledged];
    disk.cutPower();
    await peer.kill();
    disk.restart();
    step("open after the cut");
    const [row] = await side.list(disk.root);
    let found: ReadonlySet<string> = new Set();
    if (row !== undefined) {
      const session = await side.open(disk.root, row.file);
      found = new Set((await session.texts()).texts);
      await session.close();
    }
    const kept = acknowledged.filter((text) => found.has(text)).length;
    return { acknowledged: acknowledged.length, kept, present: row !== undefined };
  } finally {
    disk.remove();
  }
}

function powerRow(kind: LoopKind): Row {
  return {
    row: 43,
    title: `power cuts on ${kind} after ${CUT_AFTER.join(", ")} s of writing`,
    needs: () => noLoopDisk(kind),
    seconds: 90,
    run: async (place) => {
      const cuts: Cut[] = [];
      for (const seconds of CUT_AFTER) cuts.push(await cutOnce(kind, place, seconds));
      const sum = (of: (cut: Cut) => number): number => cuts.reduce((all, cut) => all + of(cut), 0);
      place.tell({
        acknowledged: sum((cut) => cut.acknowledged),
        kept: sum((cut) => cut.kept),
        gone: sum((cut) => Number(!cut.present)),
      });
    },
    judge: ended((facts) => {
      const [all, kept] = [number(facts, "acknowledged"), number(facts, "kept")];
      const gone = number(facts, "gone");
      const lost = gone === 0 ? "" : `, ${gone} of ${CUT_AFTER.length} sessions gone`;
      const text = `${kept} of ${all} acknowledged messages${lost}`;
      return { grade: kept === all && all > 0 ? "good" : "bad", text };
    }),
  };
}

/** The writer has it open; something is done to the file; it appends, and says so or is told. */
async function disturb(place: Place, disturbance: (file: string) => void): Promise<void> {
  const { side, folder, step, tell } = place;
  const session = await side.start(folder);
  for (const text of ["one", "two", "three", "four"]) await session.append(text);
  const file = session.file ?? "";
  disturbance(file);
  step("append");
  const said = await session.append("after").then(
    () => "ok",
    (error: unknown) => String((error as { code?: unknown }).code),
  );
  tell({ said });
  await session.close();
  const isThere = readdirSync(folder, { recursive: true, encoding: "utf8" }).some((name) =>
    file.endsWith(name),
  );
  tell({ there: isThere });
  if (!isThere) return;
  step("open afterwards");
  const again = await side.open(folder, file).catch(() => null);
  tell({ opens: again !== null, texts: again === null ? [] : (await again.texts()).texts });
  await again?.close();
}

function judgeDisturbed(facts: Readonly<Record<string, unknown>>): ReturnType<Row["judge"]> {
  const { said, there, opens } = facts;
  if (said !== "ok") {
    const isWhole = there !== true || opens === true;
    return { grade: isWhole ? "good" : "half", text: `told: ${said}` };
  }
  if (opens !== true) return { grade: "bad", text: "nothing said, and the file cannot be opened" };
  const isKept = texts(facts, "texts").includes("after");
  return isKept
    ? { grade: "good", text: "the append is kept" }
    : { grade: "bad", text: "the acknowledged append is lost, nothing said" };
}

const DELETED: Row = {
  row: 44,
  title: "the file is deleted under its writer, which appends",
  run: (place) => disturb(place, (file) => unlinkSync(file)),
  judge: ended(judgeDisturbed),
};

const TRUNCATED: Row = {
  row: 45,
  title: "another program cuts the file in the middle of its last line, the writer appends",
  run: (place) => disturb(place, (file) => truncateSync(file, readFileSync(file).length - 40)),
  judge: ended(judgeDisturbed),
};

/** Rows 23, 40–45. */
export const FAULT_ROWS: readonly Row[] = [
  FIRST_WRITE,
  FULL_LATER,
  FULL_FIRST,
  FULL_MIGRATION,
  powerRow("ext4"),
  powerRow("xfs"),
  DELETED,
  TRUNCATED,
];
