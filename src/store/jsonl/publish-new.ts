import type { SessionHeader } from "../../entry/entry.ts";
import { BranchlineError } from "../../errors.ts";
import type { SessionIndex } from "../../index/session-index.ts";
import type { Clock } from "../../io/clock.ts";
import { publish } from "../../io/publish.ts";
import type { PathCopy } from "../store.ts";
import type { CopiedLines } from "./copied-lines.ts";
import type { Environment } from "./environment.ts";
import type { FirstEntries } from "./first-entries.ts";
import type { KnownSession } from "./known-session.ts";
import { PathLines } from "./path-lines.ts";
import { PlainPath, UnlikeIndex } from "./plain-path.ts";

/** A session file that is made. */
export interface NewFile {
  readonly path: string;
  readonly header: SessionHeader;
  /** The header's line. */
  readonly line: Uint8Array;
  /** The path that stands behind it, or none. */
  readonly copy?: PathCopy | undefined;
  /** What stands behind that. */
  readonly first: FirstEntries;
}

/**
 * Puts a new session file in its place. Gives what is known of it without reading it, or null. Throws as
 * `publish` does, and what reading the copied path throws.
 */
export async function publishNew(
  env: Environment,
  file: NewFile,
  index: SessionIndex | undefined,
): Promise<KnownSession | null> {
  const { copy, header, line } = file;
  if (copy === undefined) return await put(env, file, null);
  const plain = await plainPath(file, { copy, index, clock: env.clock });
  if (plain !== null) {
    try {
      return await put(env, file, plain);
    } catch (error) {
      if (!isAboutIndex(error)) throw error;
    }
  }
  return await put(env, file, new PathLines(copy, header.id, line));
}

async function put(
  { fileSystem, random, durability }: Environment,
  { path, header, line, first: { lines } }: NewFile,
  copied: CopiedLines | null,
): Promise<KnownSession | null> {
  const content = copied ? chain(copied, lines) : Buffer.concat([line, ...lines]);
  const made = await publish(fileSystem, {
    ...{ path, content, overwrite: "never", random, durability },
    meanwhile: () => copied?.learn?.(),
  });
  return copied?.known(made, header) ?? null;
}

async function* chain(
  copied: CopiedLines,
  rest: readonly Uint8Array[],
): AsyncGenerator<Uint8Array, void, void> {
  yield* copied.chunks();
  yield Buffer.concat(rest);
}

interface PlainSource {
  readonly copy: PathCopy;
  readonly index: SessionIndex | undefined;
  readonly clock: Clock;
}

/** The path as lines that an index knows, where it does and nothing of the path has to be changed. */
async function plainPath(
  { header, line, first }: NewFile,
  { copy: { from, plainTo }, index, clock }: PlainSource,
): Promise<PlainPath | null> {
  const { lines, file } = from;
  if (index === undefined || plainTo === undefined || lines === undefined || file === null) {
    return null;
  }
  try {
    const indexed = await index.session(file);
    const stretches = indexed?.linesTo?.(plainTo);
    if (indexed == null || stretches == null) return null;
    const fresh = new Set(first.written.map(({ entry }) => entry.id));
    const made = { session: header.id, header: line, fresh, clock };
    return new PlainPath({ from, lines, indexed, stretches, at: plainTo, ...made });
  } catch (error) {
    if (isAboutIndex(error)) return null;
    throw error;
  }
}

/** What is wrong with the index keeps no path from being copied: each entry is looked at then. */
function isAboutIndex(error: unknown): boolean {
  if (error instanceof UnlikeIndex) return true;
  return BranchlineError.is(error, "IO_FAILED") && error.fields.operation === "index";
}
