import { createHash } from "node:crypto";
import { HttpError } from "./http-error.ts";

/** An answer that is given again. */
export interface KeptAnswer {
  readonly status: number;
  readonly body: unknown;
}

/** Answers that are kept. */
const KEPT = 1000;
const KEY = /^[\x21-\x7e]{1,128}$/;

/**
 * Answers by `Idempotency-Key`: a request that is repeated with its key is not done again, also while the
 * first one is under way. Lasts as long as the server; the newest thousand.
 */
export class IdempotentAnswers {
  readonly #answers = new Map<
    string,
    { readonly print: string; readonly answer: Promise<KeptAnswer> }
  >();

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
    const answer = work();
    this.#answers.set(key, { print, answer });
    if (this.#answers.size > KEPT) {
      for (const oldest of this.#answers.keys()) {
        this.#answers.delete(oldest);
        break;
      }
    }
    return await answer;
  }
}
