import assert from "node:assert/strict";
import { test } from "node:test";
import type { Entry } from "../../entry/entry.ts";
import { createMemoryStore, memoryCapabilities } from "../memory/memory-store.ts";
import type { CommitRequest, StoreSession } from "../store.ts";
import type { StoreFixture } from "./contract.ts";
import { runCase } from "./contract.ts";
import {
  contractCases,
  runContract,
  SessionDecorator,
  StoreDecorator,
  selectCases,
} from "./index.ts";

const all = {
  ...memoryCapabilities,
  durable: true,
  multiProcess: true,
  paths: true,
  indexed: true,
};

test("the suite has at least 120 cases, each with a title of its own", () => {
  assert.ok(contractCases.length >= 120, `${contractCases.length}`);
  const titles = contractCases.map(({ group, name }) => `${group}: ${name}`);
  assert.equal(new Set(titles).size, titles.length);
  assert.equal(selectCases(contractCases, all).length, contractCases.length);
});

test("the manifest alone selects cases", () => {
  const bound: string[] = [];
  const count = runContract(
    {
      name: "n",
      capabilities: { ...memoryCapabilities, trash: false, follow: false },
      makeFixture: () => assert.fail("not run"),
    },
    (title) => bound.push(title),
  );
  assert.equal(bound.length, count);
  assert.ok(bound.every((title) => title.startsWith("n: ")));
  assert.ok(!bound.some((title) => /^n: (?:trash|follow): /.test(title)));
});

/** A session that breaks one promise. */
type Break = (session: StoreSession) => StoreSession;

function brokenFixture(broken: Break): StoreFixture {
  const store = new (class extends StoreDecorator {
    protected override wrap(session: StoreSession): StoreSession {
      return broken(session);
    }
  })(createMemoryStore());
  return {
    store,
    reopen: () => assert.fail("not durable"),
    [Symbol.asyncDispose]: () => store.close(),
  };
}

class Forgetful extends SessionDecorator {
  override commit(request: CommitRequest): ReturnType<StoreSession["commit"]> {
    const { expectedLeaf: _expected, ...rest } = request;
    return this.inner.commit(rest);
  }
}

class Keyless extends SessionDecorator {
  override commit(request: CommitRequest): ReturnType<StoreSession["commit"]> {
    const { key: _key, ...rest } = request;
    return this.inner.commit(rest);
  }
}

class Piecemeal extends SessionDecorator {
  override async commit(request: CommitRequest): ReturnType<StoreSession["commit"]> {
    const entries: Entry[] = [];
    for (const draft of request.entries) {
      entries.push(...(await this.inner.commit({ ...request, entries: [draft] })).entries);
    }
    return { entries, replayed: false };
  }
}

class Thawed extends SessionDecorator {
  override async last(count: number): ReturnType<StoreSession["last"]> {
    return structuredClone(await this.inner.last(count));
  }
}

class OffByOne extends SessionDecorator {
  override path(
    ...[id, options]: Parameters<StoreSession["path"]>
  ): ReturnType<StoreSession["path"]> {
    const limit = options?.limit;
    return this.inner.path(id, limit === undefined || limit === 0 ? {} : { limit: limit + 1 });
  }
}

/** What each broken store must be caught at. */
const BROKEN: readonly (readonly [string, Break, RegExp])[] = [
  [
    "expected leaves are ignored",
    (session) => new Forgetful(session),
    /expected leaf.*exactly one wins/,
  ],
  ["keys are ignored", (session) => new Keyless(session), /idempotency key: a second commit/],
  [
    "groups are written piece by piece",
    (session) => new Piecemeal(session),
    /refused commits: .*takes its whole group back/,
  ],
  [
    "entries are not frozen",
    (session) => new Thawed(session),
    /append: .*frozen through and through/,
  ],
  ["a limit is off by one", (session) => new OffByOne(session), /reads: the limit of a path/],
];

for (const [what, broken, caught] of BROKEN) {
  test(`a store where ${what} fails the suite, also in the random commands`, async () => {
    const failed: string[] = [];
    const groups = new Set([
      "model",
      "expected leaf",
      "idempotency key",
      "refused commits",
      "append",
      "reads",
    ]);
    for (const one of selectCases(contractCases, memoryCapabilities)) {
      if (!groups.has(one.group)) continue;
      await runCase(one, async () => brokenFixture(broken)).catch((error: unknown) => {
        assert.ok(error instanceof Error);
        if (one.group === "model") assert.match(error.message, /seed \d+/);
        failed.push(`${one.group}: ${one.name}`);
      });
    }
    assert.ok(
      failed.some((title) => caught.test(title)),
      failed.join("\n"),
    );
    // Frozenness is no matter of the reference model.
    if (what !== "entries are not frozen")
      assert.ok(failed.some((title) => title.startsWith("model: ")));
  });
}
