import { createHash } from "node:crypto";
import { HttpError } from "./http-error.ts";

/** An answer that is given again. */
export interface KeptAnswer {
  readonly status: number;
  readonly body: unknown;
}

/** Answers that are kept, and characters of their JSON. */
const KEPT = 1000;
const KEPT_CHARACTERS = 16 * 1024 * 1024;
const KEY = /^[\x21-\x7e]{1,128}$/;

interface Known {
  readonly print: string;
  readonly answer: Promise<KeptAnswer>;
  characters: number;
}

/**
 * Answers by `Idempotency-Key`: a request that is repeated with its key is not done again, also while the
 * first one is under way. Lasts as long as the server; the newest thousand. A refusal changed nothing and
 * may pass (a run that was active, a full disk), so it is not kept: the same key tries again.
 */
export class IdempotentAnswers {
  readonly #answers = new Map<string, Known>();
  #characters = 0;

  /** Throws HTTP_IDEMPOTENCY_REUSED where the key was used for another request. */
  async once(key: string, request: string, work: () => Promise<KeptAnswer>): Promise<KeptAnswer> {
    if (!KEY.test(key))
      throw new HttpError("HTTP_BAD_REQUEST", "The Idempotency-Key is not plain.");
    const print = createHash("sha256").update(request).digest("hex");
    const known = this.#answers.get(key);
    if (known !== undefined) {
      if (known.print === print) return await known.answer;
      throw new HttpError(
        "HTTP_IDEMPOTENCY_REUSED",
        "The Idempotency-Key was used for another request.",
      );
    }
    const kept: Known = { print, answer: work(), characters: 0 };
    this.#answers.set(key, kept);
    const answer = await kept.answer;
    if (answer.status >= 400) this.#answers.delete(key);
    else this.#keep(kept, answer);
    return answer;
  }

  #keep(kept: Known, { body }: KeptAnswer): void {
    kept.characters = JSON.stringify(body ?? null).length;
    this.#characters += kept.characters;
    for (const [oldest, { characters }] of this.#answers) {
      if (this.#answers.size <= KEPT && this.#characters <= KEPT_CHARACTERS) break;
      this.#answers.delete(oldest);
      this.#characters -= characters;
    }
  }
}
