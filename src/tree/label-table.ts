import { isEntry } from "../entry/entry-check.ts";
import type { LinkedEntry } from "./linker.ts";
import type { TreeBase } from "./tree-base.ts";
import type { LabelInfo } from "./tree-entry.ts";

/** Labels and the session's name: session-wide, the latest row in file order wins (design.md §2). */
export class LabelTable {
  readonly labels: Map<string, LabelInfo>;
  name: string | null;

  /** Starts with what the entries of the base left in force. */
  constructor(base: TreeBase | null) {
    this.labels = new Map(base?.labels.map((info) => [info.targetId, info]));
    this.name = base?.name ?? null;
  }

  /** Takes the next entry in file order. */
  add({ entry }: Pick<LinkedEntry, "entry">): void {
    if (isEntry(entry, "session_info")) this.name = entry.name?.trim() || null;
    if (!isEntry(entry, "label")) return;
    const label: unknown = entry.label;
    const { targetId, id: entryId, timestamp } = entry;
    if (typeof label === "string" && label !== "") {
      this.labels.set(targetId, { targetId, label, entryId, timestamp });
    } else this.labels.delete(targetId);
  }
}
