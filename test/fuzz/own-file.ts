import type { EntryDraft } from "../../src/entry/entry.ts";
import { seededRandom } from "../../src/io/testing/seeded-random.ts";
import { MemoryMachine } from "../../src/store/jsonl/testing/memory-fixture.ts";

/** What stands in the file at the end. */
export type Ending = "single" | "group";

/** A session file as the engine writes it: single commits, groups, other scripts, quotes and escapes. */
export async function ownFile(seed: number, bytes: number, ending: Ending): Promise<Uint8Array> {
  const machine = new MemoryMachine();
  return await machine.run(write(machine, { seed, bytes, ending }));
}

async function write(
  machine: MemoryMachine,
  options: { readonly seed: number; readonly bytes: number; readonly ending: Ending },
): Promise<Uint8Array> {
  const { seed, bytes, ending } = options;
  const random = seededRandom(seed);
  const session = await machine.store().create({ id: `fuzz${seed}`, cwd: "/p" });
  const path = session.file as string;
  for (let count = 0; machine.fs.bytes(path).byteLength < bytes; count++) {
    const size = random.float() < 0.2 ? 3 : 1;
    await session.commit({ entries: Array.from({ length: size }, (_, i) => draft(count + i)) });
  }
  const size = ending === "group" ? 3 : 1;
  await session.commit({ entries: Array.from({ length: size }, (_, i) => draft(i)) });
  await session.close();
  return machine.fs.bytes(path);
}

function draft(count: number): EntryDraft {
  const texts = ["plain", "会话树 分支", 'a "quoted" \\ text\n\tand lines', "🌳 emoji", "}{][,:"];
  const text = `${texts[count % texts.length]} ${count}`;
  if (count % 4 === 1) return { type: "label", targetId: "none", label: text };
  if (count % 7 === 3) return { type: "custom", customType: "x.state", data: { n: count, text } };
  return { type: "message", message: { role: "user", content: text } };
}
