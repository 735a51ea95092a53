import type { Entry } from "../../src/entry/entry.ts";
import type { Problem } from "../../src/entry/problem.ts";
import { SessionDecoder } from "../../src/entry/session-decoder.ts";

/** What a reader makes of the bytes of a file. */
export interface DecodedBytes {
  readonly entries: readonly Entry[];
  readonly problems: readonly Problem[];
  readonly hasHeader: boolean;
}

const NEWLINE = 0x0a;

/** Decodes the whole content of a file, split on byte 0x0A, as the stores do. */
export function decodeBytes(bytes: Uint8Array): DecodedBytes {
  const decoder = new SessionDecoder();
  const entries: Entry[] = [];
  let start = 0;
  let line = 1;
  const take = (decoded: ReturnType<SessionDecoder["push"]>): void => {
    for (const one of decoded) if (one.kind === "entry") entries.push(one.entry);
  };
  for (let end = bytes.indexOf(NEWLINE); end >= 0; end = bytes.indexOf(NEWLINE, start)) {
    const place = { line, byteStart: start, byteEnd: end };
    take(decoder.push({ ...place, bytes: bytes.subarray(start, end), terminated: true }));
    start = end + 1;
    line++;
  }
  const place = { line, byteStart: start, byteEnd: bytes.byteLength };
  const rest = { ...place, bytes: bytes.subarray(start), terminated: false };
  take(decoder.finish(start < bytes.byteLength ? rest : null).entries);
  return { entries, problems: decoder.problems, hasHeader: decoder.header !== null };
}
