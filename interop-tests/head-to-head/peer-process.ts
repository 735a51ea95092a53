/** Does what it is told on standard input, one JSON list a line; one answer a line. Argument: the side. */
import { createInterface } from "node:readline";
import { loadSide } from "./load-side.ts";
import type { OpenSession } from "./side.ts";

const side = await loadSide(process.argv[2] ?? "");
let session: OpenSession | null = null;

/** Into a pipe this is written at once, also where its reader is slow. */
function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

function present(): OpenSession {
  if (session === null) throw new TypeError("nothing is open");
  return session;
}

/** Each text is told as soon as it is acknowledged. */
async function append(prefix: string, count: number): Promise<void> {
  for (let number = 0; number < count; number++) {
    const text = count === 1 ? prefix : `${prefix} ${number}`;
    await present().append(text);
    say(`ack ${text}`);
  }
}

const COMMANDS: Readonly<Record<string, (...args: readonly string[]) => Promise<void>>> = {
  open: async (folder = "", file = "") => {
    session = await side.open(folder, file);
  },
  start: async (folder = "") => {
    session = await side.start(folder);
  },
  openOrStart: async (folder = "", name = "") => {
    session = await side.openOrStart(folder, name);
  },
  append: (prefix = "", count = "1") => append(prefix, Number(count)),
  close: async () => {
    await session?.close();
    session = null;
  },
};

async function answer(line: string): Promise<void> {
  const [name = "", ...args] = JSON.parse(line) as readonly string[];
  try {
    await COMMANDS[name]?.(...args);
    say("ok");
  } catch (error) {
    const { code, message } = error as { code?: unknown; message?: unknown };
    say(`error ${typeof code === "string" ? code : String(message).slice(0, 60)}`);
  }
}

// One after the other, in the order of the input.
for await (const line of createInterface({ input: process.stdin })) await answer(line);
