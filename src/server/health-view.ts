import { stat } from "node:fs/promises";
import type { HealthView } from "../protocol/operation.ts";
import { PERSONAL_KINDS } from "../redaction/personal-names.ts";
import { reviewEntries } from "../redaction/redactor.ts";
import { checkSession } from "../session/fsck.ts";
import type { TreeEntry } from "../tree/tree-entry.ts";
import { kindOf } from "../view/entry-kind.ts";
import { previews } from "./previews.ts";
import type { SessionHost } from "./session-host.ts";

/** Problems and largest entries that are told. */
const MOST_PROBLEMS = 500;
const MOST_LARGE = 20;
const MOST_SECRETS = 200;
const SLICE = 5000;

/** What is wrong with a session and where its bytes are. Reads all of it. */
export async function healthView(host: SessionHost): Promise<HealthView> {
  const report = await checkSession(host.store);
  const { byKind, largest } = await measure(host);
  const shown = await previews(
    host,
    largest.map(({ at }) => at),
  );
  return {
    ok: report.ok,
    entries: report.entries,
    problems: report.problems.slice(0, MOST_PROBLEMS).map((problem) => ({
      reason: problem.code,
      line: problem.line === 0 ? null : problem.line,
      start: problem.line === 0 ? null : problem.byteStart,
      end: problem.line === 0 ? null : problem.byteEnd,
      text: problem.message,
    })),
    bytes: await bytesOf(host.store.file),
    byKind: [...byKind].map(([kind, sums]) => ({ kind, ...sums })),
    largest: largest.map(({ at, bytes }, index) => ({
      entry: at.id,
      bytes,
      text: shown[index]?.text ?? "",
    })),
    secrets: await secretsOf(host),
  };
}

/** Secrets in the clear, masked; folders and names of people are no secrets at home. */
async function secretsOf(host: SessionHost): Promise<HealthView["secrets"]> {
  const { findings } = await reviewEntries(host.store.scan(), { keep: PERSONAL_KINDS });
  return findings
    .slice(0, MOST_SECRETS)
    .map(({ entry, kind, masked }) => ({ entry: entry ?? "", kind, masked }));
}

interface Sized {
  readonly at: TreeEntry;
  readonly bytes: number;
}

async function measure(host: SessionHost): Promise<{
  readonly byKind: ReadonlyMap<string, { readonly entries: number; readonly bytes: number }>;
  readonly largest: readonly Sized[];
}> {
  const byKind = new Map<string, { entries: number; bytes: number }>();
  let largest: Sized[] = [];
  for (const at of host.store.tree.entries()) {
    const place = host.store.placeOf(at.id);
    const bytes = place === null ? 0 : place.byteEnd - place.byteStart;
    const kind = kindOf(at);
    const sums = byKind.get(kind) ?? { entries: 0, bytes: 0 };
    byKind.set(kind, { entries: sums.entries + 1, bytes: sums.bytes + bytes });
    largest.push({ at, bytes });
    if (largest.length >= SLICE) largest = mostBytes(largest);
  }
  return { byKind, largest: mostBytes(largest) };
}

function mostBytes(sized: readonly Sized[]): Sized[] {
  return sized.toSorted((a, b) => b.bytes - a.bytes).slice(0, MOST_LARGE);
}

async function bytesOf(file: string | null): Promise<number> {
  return file === null ? 0 : (await stat(file)).size;
}
