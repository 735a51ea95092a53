import assert from "node:assert/strict";
import { cpSync, existsSync, mkdirSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { IndexMachine } from "./index-machine.ts";
import { randomSession } from "./random-session.ts";
import { assertSameSession } from "./same-answers.ts";

const FOLDERS = [
  "../../../shared/fixtures",
  "../golden/vectors",
  "../golden/damaged",
  "../../examples",
]
  .map((folder) => join(import.meta.dirname, folder))
  .filter((folder) => existsSync(folder));

function corpus(): readonly string[] {
  return FOLDERS.flatMap((folder) =>
    (readdirSync(folder, { recursive: true }) as string[])
      .filter((name) => name.endsWith(".jsonl"))
      .map((name) => join(folder, name)),
  ).filter((path) => statSync(path).isFile());
}

describe("the index answers what the files say", () => {
  const machine = new IndexMachine();
  before(() => mkdirSync(machine.root));
  after(() => machine.remove());

  it("of every fixture, vector and damaged file (F030, F097, F099, F100)", async () => {
    await using index = machine.index();
    let sound = 0;
    let sessions = 0;
    for (const [at, from] of corpus().entries()) {
      const path = machine.path(`corpus-${at}`);
      cpSync(from, path);
      const indexed = await index.session(path);
      if (indexed === null) {
        await assert.rejects(assertSameSession(indexed as never, path), `${from} is a session`);
        continue;
      }
      sessions++;
      try {
        if (await assertSameSession(indexed, path)) sound++;
      } catch (error) {
        assert.fail(`${from}: ${String((error as Error).message)}`);
      }
    }
    assert.ok(sound > 10 && sessions > sound, `${sound} of ${sessions} sessions are sound`);
    assert.equal(index.counters.rebuilds, 0);
  });

  it("of 200 random sessions, read at once and as they grow", async () => {
    await using index = machine.index();
    let sound = 0;
    for (let seed = 1; seed <= 200; seed++) {
      const { lines } = randomSession(seed, seed % 10 === 0 ? 400 : 60);
      const path = machine.write(`random-${seed}`, "");
      // What stands between two looks ends anywhere, also inside a line or a commit.
      const cuts = seed % 3 === 0 ? [1, 0.3, 0.31, 0.7, 1] : [1];
      const whole = Buffer.from(lines.join(""));
      for (const cut of cuts.slice(seed % 3 === 0 ? 1 : 0)) {
        machine.write(`random-${seed}`, whole.subarray(0, Math.ceil(whole.length * cut)));
        const indexed = await index.session(path);
        if (indexed === null) continue;
        try {
          if ((await assertSameSession(indexed, path)) && cut === 1) sound++;
        } catch (error) {
          assert.fail(`seed ${seed}, cut ${cut}: ${String((error as Error).message)}`);
        }
      }
    }
    // Old leaf entries may name what is not there; everything else that was drawn is sound.
    assert.ok(sound > 150, `${sound} of 200 sessions are sound`);
    assert.equal(index.counters.rebuilds, 0);
  });
});
