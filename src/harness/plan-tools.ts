import type { EntryDraft } from "../entry/entry.ts";
import { SerialQueue } from "../store/serial-queue.ts";
import { goalDraft, type PlanTask, planTask, TASK_STATES, tasksDraft } from "./plan-rows.ts";
import type { PlanState } from "./plan-state.ts";
import type { Tool, ToolOutput } from "./tool.ts";

/** What the tools of a plan work on. */
export interface PlanPort {
  /** Id of the session. */
  readonly session: string;
  /** The plan where the run is now. */
  read(): Promise<PlanState>;
  /** Puts a row on the path of the run; with its next commit of settings, or at once. */
  append(row: EntryDraft): Promise<void>;
}

/** Longest goal and longest task, in UTF-16 units. */
const MAX_TEXT = 4000;
/** Most tasks of a plan. */
const MAX_TASKS = 200;

/** What a plan says, for the model and for people; empty where nothing is planned. */
export function planText({ goal, tasks, budget, cycles, cost }: PlanState): string {
  const lines: string[] = [];
  if (goal !== null) lines.push(`Goal: ${goal}`);
  for (const { id, text, state } of tasks) lines.push(`- [${state}] ${id}: ${text}`);
  if (budget?.cycles != null) lines.push(`Turns: ${cycles} of ${budget.cycles}`);
  if (budget?.cost != null) lines.push(`Cost: $${cost.toFixed(4)} of $${budget.cost}`);
  return lines.join("\n");
}

/**
 * `set_goal` and `update_tasks`: the model keeps its plan in the session, each branch its own. The budget
 * is not theirs: only a person raises it. Both may be made again after a crash.
 */
export function createPlanTools(port: PlanPort): readonly Tool[] {
  // Calls of one batch run at the same time: each one has to see what the one before it wrote.
  const line = new SerialQueue();
  return [setGoal(port), updateTasks(port)].map((tool) => ({
    ...tool,
    execute: (args, context) => line.run(() => tool.execute(args, context)),
  }));
}

function setGoal(port: PlanPort): Tool {
  return {
    name: "set_goal",
    label: "Set goal",
    description: "Says what this conversation is to reach. An empty text takes the goal away.",
    parameters: {
      type: "object",
      properties: { goal: { type: "string", maxLength: MAX_TEXT } },
      required: ["goal"],
      additionalProperties: false,
    },
    replay: "safe",
    async execute(args) {
      const goal = typeof args.goal === "string" ? args.goal.trim().slice(0, MAX_TEXT) : "";
      await port.append(goalDraft(port.session, { goal: goal === "" ? null : goal }));
      return say(goal === "" ? "There is no goal any more." : `The goal is: ${goal}`);
    },
  };
}

function updateTasks(port: PlanPort): Tool {
  return {
    name: "update_tasks",
    label: "Update tasks",
    description:
      "Adds tasks or changes them by id. Tasks that are not named stay as they are; a task that will not be done is dropped.",
    parameters: {
      type: "object",
      properties: {
        tasks: {
          type: "array",
          items: {
            type: "object",
            properties: {
              id: { type: "string", maxLength: 40 },
              text: { type: "string", maxLength: MAX_TEXT },
              state: { type: "string", enum: [...TASK_STATES] },
            },
            required: ["id", "text", "state"],
            additionalProperties: false,
          },
        },
      },
      required: ["tasks"],
      additionalProperties: false,
    },
    replay: "safe",
    async execute(args) {
      const given = Array.isArray(args.tasks) ? args.tasks.map(planTask) : [null];
      const whole = given.filter((task) => task !== null);
      if (whole.length < given.length)
        return fail("Each task needs an id, a text and a state: nothing was changed.");
      const plan = await port.read();
      const tasks = merged(plan.tasks, whole);
      if (tasks.length > MAX_TASKS) return fail(`A plan has at most ${MAX_TASKS} tasks.`);
      await port.append(tasksDraft(port.session, tasks));
      return say(planText({ ...plan, tasks }));
    },
  };
}

/** Known tasks keep their place, new ones come behind. */
function merged(before: readonly PlanTask[], given: readonly PlanTask[]): readonly PlanTask[] {
  const tasks = new Map(before.map((task) => [task.id, task]));
  for (const task of given) tasks.set(task.id, task);
  return [...tasks.values()];
}

function say(text: string): ToolOutput {
  return { content: [{ type: "text", text }] };
}

function fail(text: string): ToolOutput {
  return { ...say(text), isError: true };
}
