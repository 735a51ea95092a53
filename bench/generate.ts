/**
 * Writes generated session files: `node bench/generate.ts --seed 1 --bytes 10MB --out s.jsonl`,
 * `--entries 100000 --profile chat` for many small messages, `--sessions 1000 --average 100KB --out DIR`
 * for a folder of sessions. The same options give the same bytes.
 */
import { parseArgs } from "node:util";
import { writeCorpus, writeSession } from "../src/bench/generated-files.ts";

const UNITS: Readonly<Record<string, number>> = { "": 1, B: 1, KB: 1e3, MB: 1e6, GB: 1e9 };

/** Bytes of "10MB", "1.5 GB" or a plain number; `NaN` for anything else. */
export function bytesOf(text: string): number {
  const [, digits = "x", unit = ""] = /^([\d.]+)\s*([KMG]?B?)$/i.exec(text.trim()) ?? [];
  return Math.round(Number(digits) * (UNITS[unit.toUpperCase()] ?? Number.NaN));
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      seed: { type: "string", default: "1" },
      bytes: { type: "string" },
      entries: { type: "string" },
      profile: { type: "string", default: "agent" },
      sessions: { type: "string" },
      average: { type: "string", default: "100KB" },
      out: { type: "string", default: "generated.jsonl" },
    },
  });
  const { bytes, entries, sessions, out } = values;
  const seed = Number(values.seed);
  const profile = values.profile === "chat" ? "chat" : "agent";
  const made =
    sessions === undefined
      ? await writeSession(out, {
          seed,
          profile,
          ...(entries === undefined ? { bytes: bytesOf(bytes ?? "1MB") } : {}),
          ...(entries === undefined ? {} : { entries: Number(entries) }),
        })
      : await writeCorpus(out, {
          seed,
          sessions: Number(sessions),
          averageBytes: bytesOf(values.average),
        });
  console.log(JSON.stringify(made));
}

if (import.meta.main) await main();
