/** P10, S11, F114: one grammar of session ids, at the library (contract suite), the command line, the server. */
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { isSessionId } from "../../src/entry/ids.ts";
import { BranchlineError } from "../../src/errors.ts";
import { ALL_ROUTES } from "../../src/server/routes/all-routes.ts";
import { plainRequest, serverRig } from "../../src/server/testing/server-rig.ts";
import { createJsonlStore, type JsonlStore } from "../../src/store/jsonl/jsonl-store.ts";
import { makeDesk } from "../cli/run-cli.ts";

/** One of each kind that must never become part of a path. */
const BAD: readonly string[] = [
  ...["../../etc/passwd", "..", "a..b", "/etc/passwd", "a/b", "a\\b", "C:\\x", ".hidden", "a."],
  ...["CON", "nul", "aux.txt", "com1", "LPT9.log", "a\u0000b", "a\nb", "a\u001bb", "a b", "~"],
  ...["%2e%2e%2fetc", "__proto__", "-rf", "x".repeat(129), "ä", "a\u202eb", ""],
];

/** Every call of the store that takes an id. */
const CALLS: Readonly<Record<string, (store: JsonlStore, id: string) => Promise<unknown>>> = {
  create: (store, id) => store.create({ id, cwd: "/p" }),
  open: (store, id) => store.open(id),
  findFile: (store, id) => store.findFile(id),
  trash: (store, id) => store.trash(id),
  restore: (store, id) => store.restore(id),
  purge: (store, id) => store.purge(id),
  purgeTrashed: (store, id) => store.purgeTrashed(id),
  "values.get": (store, id) => store.values.get({ session: id }, "k"),
  "values.set": (store, id) => store.values.set({ session: id }, "k", 1),
};

test("none of these is a session id; Windows device names neither (F114)", () => {
  for (const id of BAD) assert.equal(isSessionId(id), false, JSON.stringify(id));
});

for (const [name, call] of Object.entries(CALLS)) {
  test(`the store's ${name} refuses them with SESSION_ID_INVALID and makes nothing (F114, P10)`, async (t) => {
    const { home } = makeDesk(t);
    const root = join(home, "data");
    await using store = createJsonlStore({ root });
    for (const id of BAD) {
      await assert.rejects(call(store, id), (error) =>
        BranchlineError.is(error, "SESSION_ID_INVALID"),
      );
    }
    const made = readdirSync(home, { recursive: true, encoding: "utf8" });
    assert.deepEqual(
      made.filter((path) => path.endsWith(".jsonl")),
      [],
    );
  });
}

test("the command line makes nothing under them and opens nothing by them (F114, P10)", async (t) => {
  const desk = makeDesk(t);
  await desk.ok(["new", "good"]);
  const before = readdirSync(desk.home, { recursive: true, encoding: "utf8" }).sort();
  for (const id of BAD.filter((each) => !each.includes("\u0000"))) {
    const calls = [
      ["new", `--id=${id}`],
      ["status", "-s", id],
      ["restore", "--", id],
      ["purge", "--yes", "--", id],
      ["rm", "--", id],
      ["archive", "--apply", "--", id],
    ];
    for (const args of calls) {
      const said = await desk.cli([...args, "--json"].sort(beforeDashes));
      assert.notEqual(said.code, 0, `${args.join(" ")}: ${said.out}`);
      assert.doesNotMatch(said.err, /untyped|TypeError|\n\s+at /);
    }
  }
  const after = readdirSync(desk.home, { recursive: true, encoding: "utf8" }).sort();
  assert.deepEqual(after, before);
});

/** What stands behind `--` is no option. */
function beforeDashes(a: string, b: string): number {
  return Number(b === "--json") - Number(a === "--json");
}

test("every route with a session in its path refuses them, and makes nothing (F114, P10, S11)", async (t) => {
  const rig = await serverRig(t);
  const routes = ALL_ROUTES.filter(({ path }) => path.includes("{s}"));
  assert.ok(routes.length >= 25, `${routes.length} routes`);
  const listing = (): readonly string[] =>
    readdirSync(rig.folder, { recursive: true, encoding: "utf8" })
      .filter((path) => !path.includes("index.db"))
      .sort();
  const before = listing();
  const accepted: string[] = [];
  for (const { method, path } of routes) {
    for (const id of BAD.filter((each) => each !== "")) {
      const target = path.replace("{s}", encodeURIComponent(id)).replaceAll(/\{\w+\}/g, "x");
      const { status } = await plainRequest(rig.server.port, {
        method: method.toUpperCase(),
        path: target,
        headers: {
          Authorization: `Bearer ${rig.server.token}`,
          Host: `127.0.0.1:${rig.server.port}`,
          "Content-Type": "application/json",
        },
        body: method.toUpperCase() === "GET" ? "" : "{}",
      });
      if (status < 400 || status >= 500) accepted.push(`${method} ${path} ${id}: ${status}`);
    }
  }
  assert.deepEqual(accepted, []);
  assert.deepEqual(listing(), before);
});
