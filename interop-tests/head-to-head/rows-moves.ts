/** Rows about what a process knows and the file does not. */
import { readdirSync } from "node:fs";
import { ended, type Row, texts } from "./row.ts";
import type { UserMessage } from "./side.ts";

const MOVE: Row = {
  row: 37,
  title: "back to an earlier entry, then exit",
  run: async ({ side, folder, step, tell }) => {
    const session = await side.start(folder);
    const first = await session.append("one");
    await session.append("two");
    await session.append("three");
    step("move");
    await session.moveTo(first);
    tell({ before: (await session.texts()).texts });
    const file = session.file ?? "";
    await session.close();
    step("open afterwards");
    const again = await side.open(folder, file);
    tell({ after: (await again.texts()).texts });
    await again.close();
  },
  judge: ended((facts) => {
    const [before, after] = [texts(facts, "before"), texts(facts, "after")];
    return before.join() === after.join()
      ? { grade: "good", text: "reopens where it was" }
      : {
          grade: "bad",
          text: `reopens at the end of the file (${after.length} messages, not ${before.length})`,
        };
  }),
};

const EARLY: Row = {
  row: 38,
  title: "model, name and an extension's entry before the first message, then exit",
  run: async ({ side, folder, step, tell }) => {
    const session = await side.start(folder);
    step("append");
    await session.appendSettings();
    await session.close();
    const files = readdirSync(folder, { recursive: true, encoding: "utf8" });
    tell({ files: files.filter((name) => name.endsWith(".jsonl")).length });
    tell({ names: (await side.list(folder)).map(({ name }) => name ?? "") });
  },
  judge: ended((facts) => {
    const isKept = facts.files === 1 && texts(facts, "names").includes("a name");
    return isKept ? { grade: "good", text: "kept" } : { grade: "bad", text: "nothing on disk" };
  }),
};

const MUTATION: Row = {
  row: 39,
  title: "the caller changes a message after it was appended",
  run: async ({ side, folder, step, tell }) => {
    const session = await side.start(folder);
    const message: UserMessage = { role: "user", content: "as it was", timestamp: 1 };
    step("append");
    await session.appendMessage(message);
    try {
      message.content = "changed";
    } catch {
      tell({ frozen: true });
    }
    tell({ memory: (await session.texts()).texts });
    const file = session.file ?? "";
    await session.close();
    const again = await side.open(folder, file);
    tell({ disk: (await again.texts()).texts });
    await again.close();
  },
  judge: ended((facts) =>
    texts(facts, "memory").join() === texts(facts, "disk").join()
      ? { grade: "good", text: "memory and disk agree" }
      : { grade: "bad", text: "memory and disk differ" },
  ),
};

/** Rows 37–39. */
export const MOVE_ROWS: readonly Row[] = [MOVE, EARLY, MUTATION];
