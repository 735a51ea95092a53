import type { PendingCall, Permission } from "./tool.ts";
import { errorText } from "./tool-output.ts";

/** Decides about a call before it runs. */
export type PermissionHook = (call: PendingCall) => Permission | Promise<Permission>;

/** Asks a person about a call; the answer is allow, block or rewrite. */
export type ConfirmHook = (call: PendingCall, question: string) => Permission | Promise<Permission>;

/** Who is asked. Without `ask` every call is allowed. */
export interface PermissionHooks {
  readonly ask?: PermissionHook | undefined;
  /** Without it a call that needs confirmation is blocked. */
  readonly confirm?: ConfirmHook | undefined;
}

/** What was decided in the end. */
export type Verdict = Exclude<Permission, { readonly decision: "confirm" }>;

const DECISIONS: ReadonlySet<string> = new Set(["allow", "block", "rewrite", "confirm"]);

const block = (reason: string): Verdict => ({ decision: "block", reason });

/** A hook that throws or answers anything else decides nothing: then the call does not run. */
async function answerOf(asked: () => Permission | Promise<Permission>): Promise<Permission> {
  try {
    const permission = await asked();
    const isKnown = DECISIONS.has(permission?.decision);
    return isKnown ? permission : block("The permission hook gave no decision.");
  } catch (error) {
    return block(`The permission hook failed: ${errorText(error)}`);
  }
}

/**
 * Asks about a call (harness.md §4): the hook first and, where it wants that, a person. `told` hears each
 * decision as it is made, before it has effect. Never throws for what a hook does.
 */
export async function decide(
  call: PendingCall,
  hooks: PermissionHooks,
  told: (permission: Permission) => Promise<void>,
): Promise<Verdict> {
  const { ask, confirm } = hooks;
  if (ask === undefined) return { decision: "allow" };
  const first = await answerOf(() => ask(call));
  await told(first);
  if (first.decision !== "confirm") return first;
  const { question } = first;
  const answer =
    confirm === undefined
      ? block("Nobody is there to confirm it.")
      : await answerOf(() => confirm(call, question));
  const verdict = answer.decision === "confirm" ? block("It was not confirmed.") : answer;
  await told(verdict);
  return verdict;
}
