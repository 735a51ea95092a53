/**
 * `node scripts/record-samples.ts [FOLDER]`: records the sample sessions of examples/samples anew. The engine
 * itself writes them, with the offline model and real tools on a frozen copy of some of our documents;
 * clock and ids are fixed, so that the same sources give the same bytes.
 */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { recordBugHunt } from "./samples/bug-hunt.ts";
import { recordDesignTalk } from "./samples/design-talk.ts";
import { recordLongSession } from "./samples/long-session.ts";
import { type Recording, recordedBytes } from "./samples/recorder.ts";
import { recordTwoWriters } from "./samples/two-writers.ts";

/** A sample that is recorded. */
interface Sample extends Omit<Recording, "scratch"> {
  readonly record: (recording: Recording) => Promise<string>;
}

/** Best to begin with first: in lists the newest stands on top. */
const SAMPLES: readonly Sample[] = [
  { name: "1-plan-a-or-b", seed: 1, start: "2026-11-28T14:05:00.000Z", record: recordDesignTalk },
  { name: "2-bug-hunt", seed: 2, start: "2026-11-27T09:30:00.000Z", record: recordBugHunt },
  { name: "3-long-session", seed: 3, start: "2026-11-25T08:00:00.000Z", record: recordLongSession },
  { name: "4-two-writers", seed: 4, start: "2026-11-24T16:20:00.000Z", record: recordTwoWriters },
];

/** Names of the files, in the order in which people should meet them. */
export const SAMPLE_FILES: readonly string[] = SAMPLES.map(({ name }) => `${name}.jsonl`);

/** Records all samples into a folder. Throws where one does not come out as it should. */
export async function recordSamples(folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  for (const { record, ...sample } of SAMPLES) {
    const scratch = realpathSync(mkdtempSync(path.join(tmpdir(), "branchline-sample-")));
    try {
      const file = await record({ ...sample, scratch });
      writeFileSync(path.join(folder, `${sample.name}.jsonl`), recordedBytes(file, scratch));
    } finally {
      rmSync(scratch, { recursive: true, force: true });
    }
  }
}

if (import.meta.main) {
  const folder = process.argv[2] ?? path.join(import.meta.dirname, "../examples/samples");
  await recordSamples(path.resolve(folder));
}
