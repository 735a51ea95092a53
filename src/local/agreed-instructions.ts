import { createHash } from "node:crypto";
import type { Message, SystemMessage } from "../entry/message.ts";
import type { ValueStore } from "../store/store.ts";

const SCOPE = { resource: "branchline.instructions" } as const;

/**
 * The instructions that a person agreed to have sent (reliability.md S13). Kept beside the sessions and by
 * what they say, so that no file can claim it, and what was agreed to holds in every fork and copy.
 */
export class AgreedInstructions {
  readonly #values: Pick<ValueStore, "get" | "set">;
  readonly #own: string;

  /** `own` is the text of the program's own instructions, which needs no agreement. */
  constructor(values: Pick<ValueStore, "get" | "set">, own: string) {
    this.#values = values;
    this.#own = own;
  }

  /** True where a person agreed to exactly this, and for the program's own text. */
  async has(message: SystemMessage): Promise<boolean> {
    if (this.isOwn(message)) return true;
    return (await this.#values.get(SCOPE, printOf(message))) === true;
  }

  /** True for the program's own text. */
  isOwn(message: SystemMessage): boolean {
    return message.content === this.#own && message.sections === undefined;
  }

  /** A person agrees to all instructions among these messages. */
  async agreeTo(messages: readonly Message[]): Promise<void> {
    await this.#say(messages, true);
  }

  /** A person takes that back: they are held again, everywhere the same text stands. */
  async takeBack(messages: readonly Message[]): Promise<void> {
    await this.#say(messages, false);
  }

  async #say(messages: readonly Message[], isAgreed: boolean): Promise<void> {
    for (const message of messages) {
      if (message.role === "system") await this.#values.set(SCOPE, printOf(message), isAgreed);
    }
  }
}

/** Everything of it that a request may hold. */
function printOf(message: Message): string {
  const { content, sections, toolsAdded, toolsRemoved }: Readonly<Record<string, unknown>> = {
    ...message,
  };
  const text = JSON.stringify([content, sections, toolsAdded, toolsRemoved]);
  return createHash("sha256").update(text).digest("hex");
}
