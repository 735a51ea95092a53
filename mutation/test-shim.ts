/**
 * Stands in for `node:test` while tests run inside Stryker's process: it collects the tests of the files
 * that are imported, and {@link runCollected} runs one of them. Knows what the tests of this project use.
 */
import { type MockTracker, mock } from "node:test";

type Body = (context: ShimContext) => unknown;
type Hook = () => unknown;

interface Suite {
  readonly names: readonly string[];
  readonly parent: Suite | null;
  readonly before: Hook[];
  readonly after: Hook[];
  readonly beforeEach: Hook[];
  readonly afterEach: Hook[];
  /** Null until the hooks of `before` have run. */
  begun: Promise<void> | null;
}

/** A test that was declared by an imported file. */
export interface CollectedTest {
  readonly id: string;
  readonly suite: Suite;
  readonly body: Body;
}

/** What a test function is given. */
export interface ShimContext {
  readonly name: string;
  readonly mock: MockTracker;
  readonly signal: AbortSignal;
  after(hook: Hook): void;
  diagnostic(message: string): void;
  skip(reason?: string): void;
  test(name: string, body: Body): Promise<void>;
}

let collected: CollectedTest[] = [];
const begun = new Set<Suite>();
let current: Suite = makeSuite("", null);

function makeSuite(name: string, parent: Suite | null): Suite {
  const names = parent === null ? [name] : [...parent.names, name];
  const hooks = { before: [], after: [], beforeEach: [], afterEach: [] };
  return { names, parent, ...hooks, begun: null };
}

/** Gives what `load` declares, by id: the file, the suites and the name of each test. */
export async function collect(
  file: string,
  load: () => Promise<unknown>,
): Promise<ReadonlyMap<string, CollectedTest>> {
  collected = [];
  current = makeSuite(file, makeSuite("", null));
  await load();
  const tests = new Map<string, CollectedTest>();
  for (const one of collected) {
    // Names may repeat, ids may not.
    let id = one.id;
    for (let copy = 2; tests.has(id); copy++) id = `${one.id} #${copy}`;
    tests.set(id, { ...one, id });
  }
  return tests;
}

/** Runs a test with its hooks. Throws what it throws. */
export async function runCollected(one: CollectedTest): Promise<void> {
  const chain: Suite[] = [];
  for (let suite: Suite | null = one.suite; suite !== null; suite = suite.parent)
    chain.unshift(suite);
  for (const suite of chain) await begin(suite);
  for (const suite of chain) await runHooks(suite.beforeEach);
  try {
    await runBody(one.id, one.body);
  } finally {
    for (const suite of chain.toReversed()) await runHooks(suite.afterEach);
  }
}

/** Runs the hooks of `after` of all suites of which a test has run. */
export async function endSuites(): Promise<void> {
  const ended = [...begun].reverse();
  begun.clear();
  for (const suite of ended) {
    suite.begun = null;
    await runHooks(suite.after);
  }
}

async function begin(suite: Suite): Promise<void> {
  begun.add(suite);
  suite.begun ??= runHooks(suite.before);
  await suite.begun;
}

async function runHooks(hooks: readonly Hook[]): Promise<void> {
  for (const hook of hooks) await hook();
}

async function runBody(name: string, body: Body): Promise<void> {
  const after: Hook[] = [];
  const context: ShimContext = {
    name,
    mock,
    signal: new AbortController().signal,
    after: (hook) => after.push(hook),
    diagnostic: () => undefined,
    skip: () => undefined,
    test: runBody,
  };
  try {
    await body(context);
  } finally {
    await runHooks(after);
    mock.restoreAll();
  }
}

/** As `node:test` has it: options are only looked at for `skip`. */
export function test(name: string, second: unknown, third?: unknown): void {
  const body = third ?? second;
  const options = third === undefined ? undefined : (second as { readonly skip?: unknown });
  if (typeof body !== "function" || (options?.skip ?? false) !== false) return;
  const id = [...current.names.slice(1), name].join(" > ");
  collected.push({ id, suite: current, body: body as Body });
}

export function describe(name: string, body: () => void): void {
  const outer = current;
  current = makeSuite(name, outer);
  body();
  current = outer;
}

export const before = (hook: Hook): void => void current.before.push(hook);
export const after = (hook: Hook): void => void current.after.push(hook);
export const beforeEach = (hook: Hook): void => void current.beforeEach.push(hook);
export const afterEach = (hook: Hook): void => void current.afterEach.push(hook);
export { mock, test as it, test as suite };
