import { GOAL_TYPE, RUN_TYPE, TASKS_TYPE } from "../entry/own-state.ts";
import type { StoreSession } from "../store/store.ts";
import type { SessionTree } from "../tree/session-tree.ts";
import type { TreeEntry } from "../tree/tree-entry.ts";
import { goalRow, type PlanBudget, type PlanTask, taskRows } from "./plan-rows.ts";
import { runRow, type SpentCycles } from "./run-rows.ts";

/** The plan in force at an entry. Each branch has its own: it is what its path says. */
export interface PlanState {
  readonly goal: string | null;
  readonly tasks: readonly PlanTask[];
  /** null = no limit was set. */
  readonly budget: PlanBudget | null;
  /** Answers of the model since the budget was set; 0 without one. */
  readonly cycles: number;
  /** US dollars since the budget was set; 0 without one. */
  readonly cost: number;
}

/** Whether a run goes on after a turn. */
export type PlanGate =
  | { readonly decision: "go" }
  | { readonly decision: "approval"; readonly exhausted: "cycles" | "cost" };

/** The plan where nothing was planned. */
export const NO_PLAN: PlanState = Object.freeze({
  goal: null,
  tasks: Object.freeze([]),
  budget: null,
  cycles: 0,
  cost: 0,
});

/**
 * Whether the budget lets a run make another request: asked at the end of each turn and before a run's
 * first request. "approval" = the run stops with that outcome, and a person sets a new budget
 * (`goalDraft`), which counts from there.
 */
export function planGate({ budget, cycles, cost }: PlanState): PlanGate {
  if (budget === null) return { decision: "go" };
  if (budget.cycles !== null && cycles >= budget.cycles)
    return { decision: "approval", exhausted: "cycles" };
  if (budget.cost !== null && cost >= budget.cost)
    return { decision: "approval", exhausted: "cost" };
  return { decision: "go" };
}

/** What the rows of a path say, with what a count needs. */
interface Sums {
  readonly goal: string | null;
  readonly tasks: readonly PlanTask[];
  readonly budget: PlanBudget | null;
  /** Id of the row that set it. */
  readonly since: string | null;
  readonly cycles: number;
  /** US dollars of the path where the budget was set. */
  readonly costBefore: number;
}

/** The last answer, so that the next one starts there. */
interface Kept {
  readonly tree: SessionTree;
  readonly relinks: number;
  readonly at: TreeEntry;
  readonly sums: Sums;
}

const NOTHING: Sums = {
  goal: null,
  tasks: [],
  budget: null,
  since: null,
  cycles: 0,
  costBefore: 0,
};

/** So many rows are looked up one by one; more are met on a walk along the path. */
const FEW = 8;

/**
 * Reads plans along paths. Nothing is counted in rows of its own: turns are the answers on the path, cost
 * is a difference of two folds, so a kill can lose none and a fork starts with none. A reader that is
 * kept costs what was added since its last answer, however long the path is; a new one starts at the count
 * that the last run of the path left with its end.
 */
export class PlanReader {
  readonly #store: StoreSession;
  #kept: Kept | null = null;

  constructor(store: StoreSession) {
    this.#store = store;
  }

  /** The plan at an entry; null = before the first one. */
  async at(id: string | null): Promise<PlanState> {
    const found = await this.#sumsAt(id);
    return found === null ? NO_PLAN : planOf(found.sums, found.at);
  }

  /** What was used of the budget in force, for the end of a run; null = there is none. */
  async spent(id: string | null): Promise<SpentCycles | null> {
    const found = await this.#sumsAt(id);
    if (found === null || found.sums.since === null || found.sums.budget === null) return null;
    const { since, cycles } = found.sums;
    return { since, cycles };
  }

  async #sumsAt(id: string | null): Promise<{ at: TreeEntry; sums: Sums } | null> {
    const { tree } = this.#store;
    const at = id === null ? undefined : tree.get(id);
    if (at === undefined) return null;
    const { relinks } = tree;
    const kept = this.#kept;
    const added = kept?.tree === tree && kept.relinks === relinks ? stepsTo(at, kept.at) : null;
    const sums =
      kept === null || added === null
        ? await this.#fromRows(at)
        : await this.#extended(kept.sums, added);
    this.#kept = { tree, relinks, at, sums };
    return { at, sums };
  }

  async #fromRows(at: TreeEntry): Promise<Sums> {
    const { tree } = this.#store;
    const goals = tree.customOrdinals([GOAL_TYPE], 0, at.ordinal + 1);
    const rows = goals.length > FEW ? met(at, goals) : onPath(tree, at, goals);
    let sums = { ...NOTHING, tasks: await this.#tasksAt(at) };
    for (const row of rows) sums = await this.#taken(sums, row);
    const { since, budget } = sums;
    if (since === null || budget === null) return sums;
    return { ...sums, cycles: await this.#cyclesSince(at, since) };
  }

  /** The newest tasks of the path: there may be many rows, of which only one counts. */
  async #tasksAt(at: TreeEntry): Promise<readonly PlanTask[]> {
    const { tree } = this.#store;
    const places = tree.customOrdinals([TASKS_TYPE], 0, at.ordinal + 1);
    const last = onPath(tree, at, places.slice(-FEW)).toReversed();
    for (const row of last) {
      const tasks = taskRows(await this.#store.mustGet(row.id), this.#store.id);
      if (tasks !== null) return tasks;
    }
    const rest = places.slice(0, -FEW);
    for (const row of rest.length === 0 ? [] : met(at, rest).toReversed()) {
      const tasks = taskRows(await this.#store.mustGet(row.id), this.#store.id);
      if (tasks !== null) return tasks;
    }
    return [];
  }

  async #cyclesSince(at: TreeEntry, since: string): Promise<number> {
    let cycles = 0;
    for (let up: TreeEntry | null = at; up !== null && up.id !== since; up = up.parent) {
      if (up.role === "assistant") cycles++;
      if (up.customType !== RUN_TYPE) continue;
      const row = runRow(await this.#store.mustGet(up.id), this.#store.id);
      const isCounted = row?.event === "end" && row.spent?.since === since;
      if (isCounted) return cycles + (row.spent?.cycles ?? 0);
    }
    return cycles;
  }

  async #extended(before: Sums, added: readonly TreeEntry[]): Promise<Sums> {
    let sums = before;
    for (const step of added) {
      if (step.role === "assistant") sums = { ...sums, cycles: sums.cycles + 1 };
      else sums = await this.#taken(sums, step);
    }
    return sums;
  }

  /** The sums behind an entry that may be a row. */
  async #taken(sums: Sums, step: TreeEntry): Promise<Sums> {
    const { customType } = step;
    if (customType !== GOAL_TYPE && customType !== TASKS_TYPE) return sums;
    const entry = await this.#store.mustGet(step.id);
    const tasks = taskRows(entry, this.#store.id);
    if (tasks !== null) return { ...sums, tasks };
    const row = goalRow(entry, this.#store.id);
    if (row === null) return sums;
    const { goal = sums.goal, budget } = row;
    if (budget === undefined) return { ...sums, goal };
    const costBefore = step.fold.usage.cost;
    return { ...sums, goal, budget, since: step.id, cycles: 0, costBefore };
  }
}

function planOf(sums: Sums, at: TreeEntry): PlanState {
  const { goal, tasks, budget, cycles, costBefore } = sums;
  if (budget === null) return { goal, tasks, budget, cycles: 0, cost: 0 };
  // A cost is a sum of floats: what is left of a difference must not look like something spent.
  const cost = Math.max(0, Number((at.fold.usage.cost - costBefore).toPrecision(12)));
  return { goal, tasks, budget, cycles, cost };
}

/** What lies on the path below an entry, in its order; null where the path does not run through it. */
function stepsTo(at: TreeEntry, from: TreeEntry): readonly TreeEntry[] | null {
  const steps: TreeEntry[] = [];
  let up: TreeEntry | null = at;
  for (; up !== null && up.ordinal > from.ordinal; up = up.parent) steps.push(up);
  return up?.id === from.id ? steps.reverse() : null;
}

/** Of a few entries those on the path, in its order: no walk where an index knows the shape of the tree. */
function onPath(tree: SessionTree, at: TreeEntry, places: readonly number[]): readonly TreeEntry[] {
  return places.flatMap((place) => {
    const row = tree.at(place);
    return row !== undefined && tree.commonAncestor(row.id, at.id)?.id === row.id ? [row] : [];
  });
}

/** Of many entries those on the path, in its order. */
function met(at: TreeEntry, places: readonly number[]): readonly TreeEntry[] {
  const wanted = new Set(places);
  const first = places[0] ?? 0;
  const rows: TreeEntry[] = [];
  for (let up: TreeEntry | null = at; up !== null && up.ordinal >= first; up = up.parent) {
    if (wanted.has(up.ordinal)) rows.push(up);
  }
  return rows.reverse();
}

/** The plan in force at an entry; null = before the first one. For more than one question keep a {@link PlanReader}. */
export async function readPlan(store: StoreSession, at: string | null): Promise<PlanState> {
  return await new PlanReader(store).at(at);
}
