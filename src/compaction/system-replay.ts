import { isObject } from "../entry/entry-check.ts";
import type { Message, SystemMessage } from "../entry/message.ts";

type Members = Readonly<Record<string, unknown>>;

function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content.map((block) => (isObject(block) ? String(block.text ?? "") : "")).join("");
}

/** Tools by name, or none where the member is no list. */
function toolsIn(member: unknown): readonly Members[] {
  const list: readonly unknown[] = Array.isArray(member) ? member : [];
  return list.filter(isObject);
}

function isSystem(message: Message): message is SystemMessage {
  return message.role === "system";
}

/** Prompt and tools in force, as the messages say one after the other. */
class SystemReplay {
  readonly #texts: string[] = [];
  readonly #sections = new Map<string, unknown>();
  readonly #tools = new Map<unknown, Members>();

  add({ content, sections, toolsAdded, toolsRemoved }: SystemMessage): void {
    const text = textOf(content);
    if (text !== "") this.#texts.push(text);
    for (const [name, value] of Object.entries(isObject(sections) ? sections : {})) {
      if (value === null) this.#sections.delete(name);
      else this.#sections.set(name, value);
    }
    for (const { name } of toolsIn(toolsRemoved)) this.#tools.delete(name);
    for (const tool of toolsIn(toolsAdded)) this.#tools.set(tool.name, tool);
  }

  message(timestamp: number | undefined): SystemMessage {
    const sections = Object.fromEntries(this.#sections);
    const tools = [...this.#tools.values()];
    return {
      role: "system",
      content: this.#texts.join("\n\n"),
      ...(this.#sections.size > 0 ? { sections } : {}),
      ...(tools.length > 0 ? { toolsAdded: tools } : {}),
      ...(timestamp === undefined ? {} : { timestamp }),
    };
  }
}

/**
 * The system prompt and tools in force at the end of a context as one message, word for word (F074): texts
 * one after the other, sections and tools by name as later messages changed them, which is what Pi 1.6.0
 * sends. A single message stays the very same object. null = the context holds none.
 */
export function replaySystem(messages: readonly Message[]): SystemMessage | null {
  const systems = messages.filter(isSystem);
  const [first] = systems;
  if (first === undefined) return null;
  if (systems.length === 1 && first.toolsRemoved === undefined) return first;
  const replay = new SystemReplay();
  for (const message of systems) replay.add(message);
  return replay.message(first.timestamp);
}
