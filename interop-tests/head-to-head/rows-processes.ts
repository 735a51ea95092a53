/** Rows with several processes on one session. */
import { writeFileSync } from "node:fs";
import { damagedCases } from "../../test/golden/damaged/cases.ts";
import { Peer } from "./peer.ts";
import { ended, joined, number, type Place, type Row, texts, type Verdict } from "./row.ts";

const WRITERS = 8;
const APPENDS = 200;

/** A session that has one message. */
async function startedFile({ side, folder }: Place): Promise<string> {
  const session = await side.start(folder);
  await session.append("first");
  await session.close();
  return session.file ?? "";
}

/** How many acknowledged texts the context of the session holds afterwards. */
async function count(place: Place, file: string, acknowledged: readonly string[]): Promise<void> {
  place.step("open afterwards");
  const session = await place.side.open(place.folder, file);
  const found = new Set((await session.texts()).texts);
  await session.close();
  const kept = acknowledged.filter((text) => found.has(text)).length;
  place.tell({ acknowledged: acknowledged.length, kept });
}

function judgeKept(facts: Readonly<Record<string, unknown>>): Verdict {
  const [all, kept] = [number(facts, "acknowledged"), number(facts, "kept")];
  const errors = texts(facts, "errors");
  const text = joined([
    `${kept} of ${all} acknowledged messages in the context`,
    ...(errors.length > 0 ? [`refusals: ${[...new Set(errors)].join(" ")}`] : []),
  ]);
  return { grade: kept === all && all > 0 && errors.length === 0 ? "good" : "bad", text };
}

const isError = (answer: string): boolean => answer !== "ok";

const TAKING_TURNS: Row = {
  row: 32,
  title: "two processes have it open and append in turns, 10 each",
  run: async (place) => {
    const file = await startedFile(place);
    const peers = [new Peer(place.name), new Peer(place.name)];
    const errors: string[] = [];
    for (const peer of peers) errors.push(await peer.ask("open", place.folder, file));
    place.step("append");
    for (let turn = 0; turn < 10; turn++) {
      for (const [at, peer] of peers.entries()) {
        errors.push(await peer.ask("append", `${at}-${turn}`));
      }
    }
    for (const peer of peers) await peer.ask("close");
    place.tell({ errors: errors.filter(isError) });
    await count(
      place,
      file,
      peers.flatMap(({ acknowledged }) => acknowledged),
    );
    for (const peer of peers) await peer.kill();
  },
  judge: ended(judgeKept),
};

const EIGHT: Row = {
  row: 33,
  title: `${WRITERS} processes append ${APPENDS} each at the same time`,
  seconds: 180,
  run: async (place) => {
    const file = await startedFile(place);
    const peers = Array.from({ length: WRITERS }, () => new Peer(place.name));
    await Promise.all(peers.map((peer) => peer.ask("open", place.folder, file)));
    place.step("append");
    const answers = await Promise.all(
      peers.map((peer, at) => peer.ask("append", `${at}`, `${APPENDS}`)),
    );
    place.tell({ errors: answers.filter(isError) });
    await count(
      place,
      file,
      peers.flatMap(({ acknowledged }) => acknowledged),
    );
    for (const peer of peers) await peer.kill();
  },
  judge: ended(judgeKept),
};

const SAME_NEW: Row = {
  row: 34,
  title: "two processes start the same new session, each with a prompt",
  run: async (place) => {
    const peers = [new Peer(place.name), new Peer(place.name)];
    for (const peer of peers) await peer.ask("openOrStart", place.folder, "shared");
    place.step("append");
    const errors: string[] = [];
    for (const [at, peer] of peers.entries()) errors.push(await peer.ask("append", `prompt ${at}`));
    // Once more: an error that lasts makes the session unusable.
    for (const [at, peer] of peers.entries()) {
      if (errors[at] !== "ok") errors.push(await peer.ask("append", `prompt ${at}`));
    }
    for (const peer of peers) await peer.ask("close");
    place.tell({ errors: errors.filter(isError) });
    place.step("open afterwards");
    const session = await place.side.openOrStart(place.folder, "shared");
    const found = (await session.texts()).texts;
    place.tell({ acknowledged: 2, kept: found.filter((text) => /^prompt \d$/.test(text)).length });
    for (const peer of peers) await peer.kill();
  },
  judge: ended(judgeKept),
};

const OLD_FILE: Row = {
  row: 35,
  title: "a file of version 1, opened by two processes that append one message each",
  prepare: (_folder, file) => {
    writeFileSync(file, damagedCases().find(({ name }) => name === "row-35-v1")?.bytes ?? "");
    return undefined;
  },
  run: async (place) => {
    const peers = [new Peer(place.name), new Peer(place.name)];
    const errors: string[] = [];
    place.step("open");
    for (const peer of peers) errors.push(await peer.ask("open", place.folder, place.file));
    place.step("append");
    for (const [at, peer] of peers.entries()) errors.push(await peer.ask("append", `new ${at}`));
    for (const peer of peers) await peer.ask("close");
    place.tell({ errors: errors.filter(isError) });
    await count(place, place.file, ["one", "two", "three", "four", "new 0", "new 1"]);
    for (const peer of peers) await peer.kill();
  },
  judge: ended(judgeKept),
};

const STALE_HOLDER: Row = {
  ...OLD_FILE,
  row: 36,
  title: "a holder of an old state rewrites the file after another process has appended",
  notRun: {
    pi: "read in its source: the rewrite truncates and writes what is in memory; the window is too small to meet",
  },
  run: async (place) => {
    const [holder, other] = [new Peer(place.name), new Peer(place.name)];
    await holder.ask("open", place.folder, place.file);
    await other.ask("open", place.folder, place.file);
    place.step("append");
    const errors = [await other.ask("append", "of the other")];
    // The file is of version 1: this append would rewrite it from what was read before.
    errors.push(await holder.ask("append", "of the holder"));
    for (const peer of [holder, other]) await peer.ask("close");
    place.tell({ errors: errors.filter(isError) });
    await count(place, place.file, ["one", "four", "of the other", "of the holder"]);
    for (const peer of [holder, other]) await peer.kill();
  },
};

/** Rows 32–36. */
export const PROCESS_ROWS: readonly Row[] = [TAKING_TURNS, EIGHT, SAME_NEW, OLD_FILE, STALE_HOLDER];
