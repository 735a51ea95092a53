import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { after, before, describe, it } from "node:test";
import { BranchlineError } from "../src/errors.ts";
import { checkSession } from "../src/session/fsck.ts";
import { Session } from "../src/session/session.ts";
import { createJsonlStore } from "../src/store/jsonl/jsonl-store.ts";
import type { SessionSummary } from "../src/store/store.ts";
import { contextTexts } from "./damaged-texts.ts";
import { damagedCases } from "./golden/damaged/cases.ts";
import { corpusFiles, type ExpectedProblem, type Sidecar } from "./golden/damaged/sidecar.ts";

const CORPUS = join(import.meta.dirname, "golden", "damaged");
const NAMES = readdirSync(CORPUS)
  .filter((name) => name.endsWith(".jsonl"))
  .map((name) => basename(name, ".jsonl"));
/** Long ago, so that a touched file shows. */
const PAST = new Date("2020-02-02T02:02:02Z");

/** What is read whole and names something that is not there: listed, never refused. */
const REFERENCES: ReadonlySet<string> = new Set([
  "TARGET_MISSING",
  "FIRST_KEPT_MISSING",
  "TOOL_RESULT_ORPHAN",
]);

let folder = "";
before(() => {
  folder = mkdtempSync(join(tmpdir(), "damaged-"));
  for (const name of NAMES) {
    const path = join(folder, `${name}.jsonl`);
    copyFileSync(join(CORPUS, `${name}.jsonl`), path);
    utimesSync(path, PAST, PAST);
  }
});
after(() => rmSync(folder, { recursive: true, force: true }));

function sidecar(name: string): Sidecar {
  return JSON.parse(readFileSync(join(CORPUS, `${name}.expected.json`), "utf8")) as Sidecar;
}

function byPlace(a: ExpectedProblem, b: ExpectedProblem): number {
  return a.byteStart - b.byteStart || (a.code < b.code ? -1 : 1);
}

/** Opens a file as the CLI does and says everything that a sidecar says. */
async function read(path: string): Promise<Omit<Sidecar, "title" | "row" | "note">> {
  await using store = createJsonlStore({ root: folder });
  try {
    const session = await Session.attach(await store.openFile(path));
    const { problems } = await checkSession(session.store);
    const { messages } = await session.context();
    return {
      error: null,
      id: session.id,
      readOnly: session.readOnly !== null,
      problems: problems.map(({ message: _, ...rest }) => rest).sort(byPlace),
      entries: session.tree.size,
      leaf: session.leaf,
      contextTexts: contextTexts(messages),
      roots: session.tree.children(null).map(({ id }) => id),
    };
  } catch (error) {
    assert.ok(BranchlineError.is(error), String(error));
    const nothing = { entries: 0, leaf: null, contextTexts: [], roots: [], problems: [] };
    return { error: error.code, id: "damaged", readOnly: false, ...nothing };
  }
}

function unchanged(name: string): void {
  const path = join(folder, `${name}.jsonl`);
  assert.equal(statSync(path).mtimeMs, PAST.getTime(), `${name} was touched`);
  assert.ok(readFileSync(path).equals(readFileSync(join(CORPUS, `${name}.jsonl`))), name);
}

describe("damaged files (P7, reliability rows in each title)", () => {
  it("are those that the generator makes, at least 90", () => {
    const made = corpusFiles(damagedCases());
    const present = readdirSync(CORPUS).filter((name) => /\.(jsonl|expected\.json)$/.test(name));
    assert.deepEqual(present.sort(), [...made.keys()].sort());
    for (const [name, content] of made) {
      assert.ok(readFileSync(join(CORPUS, name)).equals(content), `run make.ts: ${name}`);
    }
    assert.ok(NAMES.length >= 90, `${NAMES.length} files`);
  });

  for (const name of NAMES) {
    const { title, row, note, ...expected } = sidecar(name);
    const place = row === null ? name : `row ${row}, ${name}`;
    it(`${place}: ${title}: ${note}`, { timeout: 2000 }, async () => {
      const found = await read(join(folder, `${name}.jsonl`));
      assert.deepEqual(found, {
        ...expected,
        problems: expected.problems.toSorted(byPlace),
      });
      unchanged(name);
    });
  }

  it("are all listed but for those that are no session, and none is touched (R7, row 21)", async () => {
    await using store = createJsonlStore({ root: folder });
    const skipped: string[] = [];
    const rows: SessionSummary[] = [];
    for await (const row of store.list({ onSkip: ({ path }) => skipped.push(basename(path)) })) {
      rows.push(row);
    }
    const refused = NAMES.filter((name) => sidecar(name).error !== null);
    assert.deepEqual(skipped.sort(), refused.map((name) => `${name}.jsonl`).sort());
    assert.equal(rows.length, NAMES.length - refused.length);
    for (const row of rows) {
      const wanted = sidecar(basename(row.path ?? "", ".jsonl"));
      assert.equal(row.entries, wanted.entries, wanted.title);
      assert.equal(row.leaf, wanted.leaf, wanted.title);
    }
    for (const name of NAMES) unchanged(name);
  });

  it("are refused by strict reading", { timeout: 10_000 }, async () => {
    await using store = createJsonlStore({ root: folder });
    const wrong: string[] = [];
    for (const name of NAMES) {
      const { error, problems } = sidecar(name);
      if (error !== null) continue;
      const opening = store.openFile(join(folder, `${name}.jsonl`), { strict: true });
      const refusal = await opening.then(
        (session) => session.close().then(() => null),
        (thrown: unknown) => (thrown as BranchlineError).code,
      );
      const isDamage = problems.some(({ code }) => !REFERENCES.has(code));
      if (refusal !== (isDamage ? "LOG_DAMAGED" : null)) wrong.push(`${name}: ${refusal}`);
    }
    assert.deepEqual(wrong, []);
  });

  it("pollute no prototype (rows 15, 16)", () => {
    assert.equal(Object.hasOwn(Object.prototype, "polluted"), false);
    assert.equal(({} as { polluted?: unknown }).polluted, undefined);
  });
});

describe("what is no session file in a folder", () => {
  /** A root with one session and whatever `fill` adds; gives the listed ids and what was skipped. */
  async function listing(
    fill: (root: string) => void,
  ): Promise<{ readonly ids: readonly string[]; readonly skipped: readonly string[] }> {
    const root = mkdtempSync(join(tmpdir(), "folder-"));
    try {
      cpSync(join(CORPUS, "row-03-no-newline.jsonl"), join(root, "good.jsonl"));
      fill(root);
      await using store = createJsonlStore({ root });
      const skipped: string[] = [];
      const ids: string[] = [];
      for await (const row of store.list({ onSkip: ({ path }) => skipped.push(basename(path)) })) {
        ids.push(row.id);
      }
      return { ids, skipped };
    } finally {
      rmSync(root, { recursive: true, force: true });
    }
  }
  const limit = { timeout: 2000 };

  it("a FIFO is skipped and never opened (row 46)", limit, async () => {
    const made = await listing((root) => {
      assert.equal(spawnSync("mkfifo", [join(root, "pipe.jsonl")]).status, 0);
    });
    assert.deepEqual(made, { ids: ["damaged"], skipped: ["pipe.jsonl"] });
  });

  it("a FIFO is refused when it is named (row 46)", limit, async () => {
    const pipe = join(folder, "named-pipe");
    assert.equal(spawnSync("mkfifo", [pipe]).status, 0);
    await using store = createJsonlStore({ root: folder });
    await assert.rejects(store.openFile(pipe), (error) => BranchlineError.is(error, "FILE_UNSAFE"));
  });

  it("a dangling link hides nothing else (row 47)", limit, async () => {
    const made = await listing((root) => symlinkSync("nowhere", join(root, "link.jsonl")));
    assert.deepEqual(made, { ids: ["damaged"], skipped: ["link.jsonl"] });
  });

  it("links in a circle hide nothing else", limit, async () => {
    const made = await listing((root) => {
      symlinkSync("two.jsonl", join(root, "one.jsonl"));
      symlinkSync("one.jsonl", join(root, "two.jsonl"));
      symlinkSync(".", join(root, "here"));
    });
    assert.deepEqual(made.ids, ["damaged"]);
  });

  it("a link to /dev/zero is skipped (row 48)", limit, async () => {
    const made = await listing((root) => symlinkSync("/dev/zero", join(root, "zero.jsonl")));
    assert.deepEqual(made, { ids: ["damaged"], skipped: ["zero.jsonl"] });
  });

  it("a link out of the root is skipped, one inside counts once (row 49)", limit, async () => {
    const made = await listing((root) => {
      symlinkSync(join(CORPUS, "row-09-crlf.jsonl"), join(root, "out.jsonl"));
      symlinkSync("good.jsonl", join(root, "inside.jsonl"));
    });
    assert.deepEqual(made, { ids: ["damaged"], skipped: ["out.jsonl"] });
  });

  it("a foreign file with a newer mtime is skipped with its reason (row 50)", limit, async () => {
    const made = await listing((root) => {
      writeFileSync(join(root, "foreign.jsonl"), '{"event":"boot"}\n');
      const future = new Date("2030-01-01");
      utimesSync(join(root, "foreign.jsonl"), future, future);
    });
    assert.deepEqual(made, { ids: ["damaged"], skipped: ["foreign.jsonl"] });
  });

  it(
    "a folder named like a session, other names and hidden files are passed over",
    limit,
    async () => {
      const made = await listing((root) => {
        mkdirSync(join(root, "folder.jsonl"));
        writeFileSync(join(root, "notes.txt"), "x");
        cpSync(join(root, "good.jsonl"), join(root, ".hidden.jsonl"));
        cpSync(join(root, "good.jsonl"), join(root, 'odd "name"\n\u001b[2J.jsonl'));
      });
      assert.deepEqual(made, { ids: ["damaged", "damaged"], skipped: [] });
    },
  );
});
