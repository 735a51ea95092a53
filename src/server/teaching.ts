import { BranchlineError } from "../errors.ts";
import type { Library } from "./library.ts";
import type { TeachingAnswer } from "./teaching-answer.ts";

/** Runs whose streams speak the teaching agent's form. */
const REMEMBERED = 200;
/** Runs of which the session at their end is kept; of others it is made when it is asked for. */
const ENDS_KEPT = 4;

/** The one current session that the teaching agent's clients speak of (product.md §1b). */
export class TeachingSession {
  readonly #library: Library;
  readonly #runs = new Set<string>();
  readonly #ends = new Map<string, TeachingAnswer>();
  #id: string | null = null;

  constructor(library: Library) {
    this.#library = library;
  }

  /** The session that was chosen, else the newest one, samples last. Throws SESSION_UNKNOWN. */
  async currentId(): Promise<string> {
    if (this.#id !== null) return this.#id;
    const [newest] = await this.#library.summaries();
    if (newest !== undefined) return newest.id;
    const message = "There is no session yet.";
    const hint = "POST /api/reset starts one.";
    throw new BranchlineError("SESSION_UNKNOWN", { reference: "" }, { message, hint });
  }

  /** From now on this session is the current one. */
  choose(id: string): void {
    this.#id = id;
  }

  /** A run that was started in the teaching form. */
  addRun(id: string): void {
    this.#runs.add(id);
    for (const oldest of this.#runs) {
      if (this.#runs.size <= REMEMBERED) break;
      this.#runs.delete(oldest);
    }
  }

  hasRun(id: string): boolean {
    return this.#runs.has(id);
  }

  /** Keeps what the session was at the end of a run, for its last event. */
  keepEnd(run: string, answer: TeachingAnswer): void {
    this.#ends.set(run, answer);
    for (const oldest of this.#ends.keys()) {
      if (this.#ends.size <= ENDS_KEPT) break;
      this.#ends.delete(oldest);
    }
  }

  /** undefined = it is not over yet, or was long ago. */
  endOf(run: string): TeachingAnswer | undefined {
    return this.#ends.get(run);
  }
}
