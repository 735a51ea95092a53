import assert from "node:assert/strict";
import type { SessionStore, StoreSession } from "../../store.ts";
import type { ContractCase } from "../contract.ts";
import { user } from "../drafts.ts";
import { addMany, collect, refused } from "../expect.ts";

const SESSION_CALLS: Readonly<Record<string, (session: StoreSession) => unknown>> = {
  refresh: (session) => session.refresh(),
  lockRun: (session) => session.lockRun("main"),
  commit: (session) => session.commit({ entries: [user("x")] }),
  "commit with a key that is known": (session) =>
    session.commit({ entries: [user("m0")], key: "k" }),
  get: (session) => session.get("x"),
  mustGet: (session) => session.mustGet("x"),
  getAll: (session) => session.getAll([]),
  path: (session) => collect(session.path(null)),
  scan: (session) => collect(session.scan()),
  last: (session) => session.last(1),
  follow: (session) => collect(session.follow()),
  summary: (session) => session.summary(),
};

const STORE_CALLS: Readonly<Record<string, (store: SessionStore) => unknown>> = {
  create: (store) => store.create({ cwd: "/p" }),
  open: (store) => store.open("s"),
  list: (store) => collect(store.list()),
  purge: (store) => store.purge("s"),
  "values.get": (store) => store.values.get({ resource: "r" }, "k"),
  "values.set": (store) => store.values.set({ resource: "r" }, "k", 1),
  "values.delete": (store) => store.values.delete({ resource: "r" }, "k"),
  "values.keys": (store) => store.values.keys({ resource: "r" }),
};

const TRASH_CALLS: Readonly<Record<string, (store: SessionStore) => unknown>> = {
  trash: (store) => store.trash("s"),
  listTrash: (store) => store.listTrash(),
  restore: (store) => store.restore("s"),
};

const onSession: readonly ContractCase[] = Object.entries(SESSION_CALLS).map(([name, call]) => ({
  group: "closed session",
  name: `${name} throws STORE_CLOSED`,
  async run({ store }) {
    const session = await store.create({ id: "s", cwd: "/p" });
    await session.commit({ entries: [user("m0")], key: "k" });
    const closing = session.close();
    // While it closes as well as afterwards.
    await refused("STORE_CLOSED", () => call(session));
    await closing;
    await refused("STORE_CLOSED", () => call(session));
    await using again = await store.open("s");
    assert.equal(again.tree.size, 1);
  },
}));

function onStore(
  calls: Readonly<Record<string, (store: SessionStore) => unknown>>,
  needs: readonly "trash"[],
): readonly ContractCase[] {
  return Object.entries(calls).map(([name, call]) => ({
    group: "closed store",
    name: `${name} throws STORE_CLOSED`,
    needs,
    async run({ store }) {
      await using session = await store.create({ id: "s", cwd: "/p" });
      await addMany(session, 1);
      const closing = store.close();
      await refused("STORE_CLOSED", () => call(store));
      await closing;
      await refused("STORE_CLOSED", () => call(store));
    },
  }));
}

/** What holds for every operation after a close or with an aborted signal. */
export const traitCases: readonly ContractCase[] = [
  ...onSession,
  ...onStore(STORE_CALLS, []),
  ...onStore(TRASH_CALLS, ["trash"]),
  {
    group: "aborted signal",
    name: "open, list and commit are ABORTED and do nothing",
    async run({ store }) {
      await using session = await store.create({ id: "s", cwd: "/p" });
      const signal = AbortSignal.abort(new DOMException("enough", "AbortError"));
      await refused("ABORTED", () => store.open("s", { signal }));
      await refused("ABORTED", () => collect(store.list({ signal })));
      await refused("ABORTED", () => session.commit({ entries: [user("x")], signal }));
      assert.equal(session.tree.size, 0);
    },
  },
  {
    group: "aborted signal",
    name: "a signal that is not aborted changes nothing",
    async run({ store }) {
      const { signal } = new AbortController();
      await (await store.create({ id: "s", cwd: "/p" })).close();
      await using session = await store.open("s", { signal });
      await session.commit({ entries: [user("x")], signal });
      assert.equal((await collect(store.list({ signal }))).length, 1);
    },
  },
];
