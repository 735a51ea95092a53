import type { Entry } from "../../entry/entry.ts";
import type { LinePlace, Problem } from "../../entry/problem.ts";
import type { Environment } from "./environment.ts";

/** The place of what stands in the file of the session that this one is linked to. */
const ELSEWHERE: LinePlace = { line: 0, byteStart: 0, byteEnd: 0 };

/** Puts moved payloads back into the entries that are read; what is missing is a problem, no failure. */
export class PayloadReader {
  readonly #resolve: Environment["resolvePayload"];
  readonly #problems = new Map<string, Problem>();

  constructor(resolve: Environment["resolvePayload"]) {
    this.#resolve = resolve;
  }

  /** The entries that were shown as stubs because their blob is missing or damaged. */
  get problems(): readonly Problem[] {
    return [...this.#problems.values()];
  }

  /** The same entries with their payloads. Throws IO_FAILED. */
  async resolve(
    entries: ReadonlyMap<string, Entry>,
    placeOf: (id: string) => LinePlace | null,
  ): Promise<ReadonlyMap<string, Entry>> {
    const whole = new Map<string, Entry>();
    for (const [id, entry] of entries) {
      const resolved = await this.#resolve(entry);
      if (resolved === null) this.#report(id, placeOf(id) ?? ELSEWHERE);
      else this.#problems.delete(id);
      whole.set(id, resolved ?? entry);
    }
    return whole;
  }

  #report(entryId: string, { line, byteStart, byteEnd }: LinePlace): void {
    const message =
      "The payload was moved to a blob that cannot be read; the entry is shown without it.";
    this.#problems.set(entryId, {
      code: "BLOB_MISSING",
      line,
      byteStart,
      byteEnd,
      entryId,
      message,
    });
  }
}
