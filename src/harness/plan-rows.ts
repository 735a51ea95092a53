import type { Entry, EntryDraft } from "../entry/entry.ts";
import { isObject } from "../entry/entry-check.ts";
import { GOAL_TYPE, ownData, TASKS_TYPE } from "../entry/own-state.ts";

/** How far a plan may go before a person is asked. null = without limit. */
export interface PlanBudget {
  /** Turns, that is answers of the model. */
  readonly cycles: number | null;
  /** US dollars, as the providers' prices tell; requests of unknown price count nothing. */
  readonly cost: number | null;
}

/** One task of a plan. */
export interface PlanTask {
  readonly id: string;
  readonly text: string;
  readonly state: TaskState;
}

/** Where a task stands. */
export type TaskState = "open" | "doing" | "done" | "dropped";

/** Data of a `branchline.goal` entry, besides its session. A missing member leaves what was. */
export interface GoalRow {
  /** null = there is no goal any more. */
  readonly goal?: string | null;
  /** Counts anew from this entry on. null = no budget any more. */
  readonly budget?: PlanBudget | null;
}

/** The states, in the order in which a task goes through them. */
export const TASK_STATES: readonly TaskState[] = ["open", "doing", "done", "dropped"];

/** The entry that sets a goal, a budget or both, from here on along the path. */
export function goalDraft(session: string, row: GoalRow): EntryDraft {
  return { type: "custom", customType: GOAL_TYPE, data: { session, ...row } };
}

/** The entry that sets the tasks, all of them, from here on along the path. */
export function tasksDraft(session: string, tasks: readonly PlanTask[]): EntryDraft {
  return { type: "custom", customType: TASKS_TYPE, data: { session, tasks } };
}

/** The row, or null where the entry is none of this session. */
export function goalRow(entry: Entry, session: string): GoalRow | null {
  const data = ownData(entry, GOAL_TYPE, session);
  if (data === null) return null;
  const { goal, budget } = data;
  return {
    ...(typeof goal === "string" || goal === null ? { goal } : {}),
    ...(budget === null ? { budget } : {}),
    ...(isObject(budget) ? { budget: planBudget(budget) } : {}),
  };
}

/** The tasks, or null where the entry is none of this session. Tasks of another shape are left out. */
export function taskRows(entry: Entry, session: string): readonly PlanTask[] | null {
  const data = ownData(entry, TASKS_TYPE, session);
  if (data === null || !Array.isArray(data.tasks)) return null;
  return data.tasks.map(planTask).filter((task) => task !== null);
}

/** A task as somebody gave it, or null where it is none. */
export function planTask(value: unknown): PlanTask | null {
  if (!isObject(value)) return null;
  const { id, text, state } = value;
  if (typeof id !== "string" || typeof text !== "string" || !isTaskState(state)) return null;
  return { id, text, state };
}

function isTaskState(value: unknown): value is TaskState {
  return TASK_STATES.some((state) => state === value);
}

function planBudget({ cycles, cost }: Readonly<Record<string, unknown>>): PlanBudget {
  return { cycles: amount(cycles), cost: amount(cost) };
}

/** What is no number sets no limit that anybody could have meant, so it stops at once. */
function amount(value: unknown): number | null {
  if (value === null || value === undefined) return null;
  return typeof value === "number" && Number.isFinite(value) && value > 0 ? value : 0;
}
