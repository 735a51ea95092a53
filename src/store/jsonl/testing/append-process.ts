/**
 * A process that tests start: `append-process.ts append FILE NAME COUNT` opens a session file, says
 * "ready", waits for a line on standard input, appends COUNT entries and says for each its id (JSON
 * lines) with the time in ms that it took; `hold FILE` takes the session's lock, `run FILE` the run lock
 * of its main branch; both say "held" and keep it until they are killed.
 */
import { once } from "node:events";
import { systemClock } from "../../../io/clock.ts";
import { createNodeFileSystem } from "../../../io/node-file-system.ts";
import { systemRandom } from "../../../io/random.ts";
import { SqliteLock } from "../../../io/sqlite-lock.ts";
import { createJsonlStore } from "../jsonl-store.ts";

const [mode, path = "", name = "", count = "0"] = process.argv.slice(2);

if (mode === "hold") {
  const fileSystem = createNodeFileSystem();
  const lock = new SqliteLock({ fileSystem, clock: systemClock, random: systemRandom, path });
  await lock.acquire();
  console.log("held");
  process.stdin.resume();
} else if (mode === "run") {
  const session = await createJsonlStore({ root: "/nonexistent" }).openFile(path);
  await session.lockRun("main");
  console.log("held");
  process.stdin.resume();
} else {
  const store = createJsonlStore({ root: "/nonexistent" });
  const session = await store.openFile(path);
  console.log("ready");
  await once(process.stdin, "data");
  for (let n = 0; n < Number(count); n++) {
    const start = systemClock.monotonic();
    const message = { role: "user", content: `${name} ${n}` };
    const { entries } = await session.commit({ entries: [{ type: "message", message }] });
    console.log(JSON.stringify({ id: entries[0]?.id, ms: systemClock.monotonic() - start }));
  }
  await store.close();
  process.stdin.destroy();
}
