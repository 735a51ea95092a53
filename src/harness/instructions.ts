import type { Message, SystemMessage } from "../entry/message.ts";

/** Whether somebody here agreed to instructions that a session holds. */
export type InstructionsCheck = (message: SystemMessage) => boolean | Promise<boolean>;

/** Which instructions of a path are sent. */
export interface InstructionRules {
  /** The caller's own: these need no agreement. */
  readonly systemPrompt?: string;
  /** Missing = all that the path holds. */
  readonly instructions?: InstructionsCheck;
}

/**
 * Instructions of the messages that nobody agreed to. A session file may come from anywhere, and whatever
 * speaks as system is obeyed, so a file must not be able to speak as system by itself (reliability.md S13).
 */
export async function heldInstructions(
  messages: readonly Message[],
  { systemPrompt, instructions }: InstructionRules,
): Promise<ReadonlySet<Message>> {
  const held = new Set<Message>();
  if (instructions === undefined) return held;
  for (const message of messages) {
    if (!isSystem(message) || isPlainly(message, systemPrompt)) continue;
    if (!(await instructions(message))) held.add(message);
  }
  return held;
}

/** The messages without {@link heldInstructions}; the same list where there are none. */
export async function agreedMessages(
  messages: readonly Message[],
  rules: InstructionRules,
): Promise<readonly Message[]> {
  const held = await heldInstructions(messages, rules);
  return held.size === 0 ? messages : messages.filter((message) => !held.has(message));
}

function isSystem(message: Message): message is SystemMessage {
  return message.role === "system";
}

/** Sections are sent as text too. */
function isPlainly({ content, sections }: SystemMessage, text: string | undefined): boolean {
  return text !== undefined && content === text && sections === undefined;
}
