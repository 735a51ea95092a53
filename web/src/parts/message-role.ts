import type { Translate } from "../i18n/language.ts";
import { type RoleName, roleKey } from "./role-mark.tsx";

const OF_ROLE: Readonly<Record<string, RoleName>> = {
  user: "user",
  assistant: "assistant",
  toolResult: "tool",
  bashExecution: "tool",
  system: "system",
  custom: "system",
  compactionSummary: "compaction",
  branchSummary: "summary",
  branch_summary: "summary",
  compaction: "compaction",
  custom_message: "system",
};

/** The family of a role of a message; types of entries that are no messages are `state`. */
export function messageRole(role: string): RoleName {
  return OF_ROLE[role] ?? "state";
}

/** The name of a role of a message. */
export function roleName(role: string, t: Translate): string {
  return t(roleKey(messageRole(role)));
}
