import type { Problem } from "../../entry/problem.ts";
import type {
  Decoded,
  DecodedTail,
  LineDecoder,
  PhysicalLine,
} from "../../entry/session-decoder.ts";
import { BranchlineError } from "../../errors.ts";

/** Decodes the complete lines of a batch into `out`; says where the next line begins. */
export function takeLines(
  decoder: LineDecoder,
  batch: readonly PhysicalLine[],
  out: Decoded[],
): {
  readonly rest: PhysicalLine | null;
  readonly end: { readonly from: number; readonly line: number } | null;
} {
  let rest: PhysicalLine | null = null;
  let end: { readonly from: number; readonly line: number } | null = null;
  for (const line of batch) {
    if (line.terminated) {
      for (const one of decoder.push(line)) out.push(one);
      end = { from: line.byteEnd + 1, line: line.line + 1 };
    } else rest = line;
  }
  return { rest, end };
}

/** What is read again the next time is reported again, so its findings are kept apart. */
export function takeTailProblems(problems: Problem[], tail: DecodedTail): readonly Problem[] {
  const start = (tail.incompleteGroup ?? tail.torn)?.byteStart ?? Number.POSITIVE_INFINITY;
  const first = problems.findIndex((problem) => problem.byteStart >= start);
  return first === -1 ? [] : problems.splice(first);
}

/** Why the format itself forbids writing, or null. */
export function readOnlyReason(decoder: LineDecoder): string | null {
  if (decoder.header === null) return "its header cannot be read";
  if (decoder.version === 4) return "its format is that of pi-agent-core 0.87 (v4)";
  if (decoder.newer) return "its format is newer than this program";
  return null;
}

/**
 * Throws SESSION_INVALID for what is no session; where only the header is missing, that is a problem.
 */
export function assertSession(path: string, decoder: LineDecoder): void {
  if (decoder.header !== null) return;
  if (!decoder.hasKnownEntry) {
    throw new BranchlineError(
      "SESSION_INVALID",
      { path, reason: "no header and no entry" },
      {
        message: `${path} is no session file: it has neither a header nor an entry.`,
        hint: 'Session files of Pi and Branchline start with a line of type "session".',
        place: { file: path, line: 1, byte: 0 },
      },
    );
  }
  decoder.problems.unshift({
    code: "HEADER_MISSING",
    line: 1,
    byteStart: 0,
    byteEnd: 0,
    entryId: null,
    message: "No header can be read; one was made up and the session is read-only.",
  });
}
