import assert from "node:assert/strict";
import process from "node:process";
import { test } from "node:test";
import { mulberry32 } from "../store/testing/mulberry32.ts";
import type { CliIo } from "./cli-io.ts";
import { type CommandLine, readCommandLine } from "./command-line.ts";
import { parseCommand } from "./parse-command.ts";
import { GLOBAL_OPTIONS, loadVerbs } from "./verb-table.ts";

const io: CliIo = {
  stdout: { write: () => true },
  stderr: { write: () => true },
  stdin: process.stdin,
  env: {},
  cwd: "/",
  columns: 80,
  isTTY: false,
  canAsk: false,
  closeStdin: () => undefined,
};

/** What the full parser makes of a line; undefined for help and for what is wrong. */
async function parsed(argv: readonly string[]): Promise<CommandLine | undefined> {
  let found: CommandLine | undefined;
  try {
    await parseCommand(argv, io, async (line) => {
      found = line;
    });
  } catch {
    return undefined;
  }
  return found;
}

function plainOf(line: CommandLine): unknown {
  const options = Object.fromEntries(Object.entries(line.options).toSorted());
  return { ...line, verb: line.verb.name, words: [...line.words], options };
}

test("what the plain reader takes, it takes like the full parser", async () => {
  const seed = Date.now() % 2 ** 31;
  const random = mulberry32(seed);
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
  const verbs = await loadVerbs();
  const odd = ["--", "-", "--no-such", "--json=1", "-x", "", "a b", "@~2", "--help", "-sx"];
  let taken = 0;
  for (let turn = 0; turn < 1500; turn++) {
    const verb = pick(verbs);
    const options = [...GLOBAL_OPTIONS, ...verb.options];
    const words = Array.from({ length: Math.floor(random() * 5) }, () => {
      const option = pick(options);
      const name =
        option.short !== undefined && random() < 0.5 ? `-${option.short}` : `--${option.name}`;
      if (random() < 0.35) return [pick(["a", "b c", "last", ...(random() < 0.1 ? odd : [])])];
      return option.value === undefined ? [name] : [name, pick([...(option.choices ?? []), "v"])];
    }).flat();
    const argv = words.toSpliced(pick([0, 0, words.length, 1]), 0, verb.name);
    const plain = await readCommandLine(argv);
    if (plain === undefined) continue;
    taken++;
    const full = await parsed(argv);
    assert.ok(full, `seed ${seed}: ${JSON.stringify(argv)}`);
    assert.deepEqual(plainOf(plain), plainOf(full), `seed ${seed}: ${JSON.stringify(argv)}`);
  }
  assert.ok(taken > 200, `only ${taken} lines were plain`);
});

test("without a verb the plain reader takes status, and leaves odd forms to the full parser", async () => {
  assert.equal((await readCommandLine(["--json"]))?.verb.name, "status");
  for (const odd of [
    ["--help"],
    ["ls", "--root=x"],
    ["ls", "extra"],
    ["nothing"],
    ["ls", "--", "a"],
  ])
    assert.equal(await readCommandLine(odd), undefined, odd.join(" "));
});

test("each verb is in the table under its own name", async () => {
  for (const verb of await loadVerbs()) {
    const argv = [verb.name, ...verb.arguments.map(({ name }) => name)];
    assert.equal((await readCommandLine(argv))?.verb.name, verb.name);
  }
});
