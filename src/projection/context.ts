import type { Entry } from "../entry/entry.ts";
import { isEntry } from "../entry/entry-check.ts";
import { freezeDeep } from "../entry/freeze.ts";
import type { Message } from "../entry/message.ts";
import { contextMessages } from "./context-messages.ts";
import { type Cut, findCut, type PathStep } from "./cut.ts";
import { isSystemMessage, type Replacement } from "./entry-messages.ts";
import { type ContextGap, gapBefore, gapMarker, recordedGap } from "./gap-marker.ts";
import { PairedLine } from "./paired-line.ts";
import { type Settings, settingsOf } from "./settings.ts";
import { estimateContextTokens } from "./token-estimate.ts";
import { widenStart } from "./widen.ts";

/** What the model receives for a path, and where each part of it comes from. */
export interface Context extends Settings {
  /** Ids of all selected entries in context order, also of those that give no message. */
  readonly entries: readonly string[];
  readonly messages: readonly Message[];
  /** Id of the entry that each message comes from or, for made ones, stands for. */
  readonly sources: readonly string[];
  /** Estimated tokens of all messages. */
  readonly tokens: number;
  /** Places where history is missing, in context order; each has its marker in `messages`. */
  readonly gaps: readonly ContextGap[];
}

/** Builds the line of one context; walks only what is selected. */
class ContextLine {
  readonly entries: string[] = [];
  readonly gaps: ContextGap[] = [];
  readonly line: PairedLine = new PairedLine();
  readonly #path: readonly PathStep[];
  readonly #from: number;
  readonly #compactionAt: number;
  readonly #edits = new Map<string, Replacement>();

  constructor(path: readonly PathStep[], cut: Cut) {
    this.#path = path;
    this.#from = cut.compaction === null ? 0 : widenStart(path, cut.from);
    this.#compactionAt = cut.compaction?.at ?? -1;
    this.#collectEdits();
    this.#addCompaction(cut);
    for (let at = this.#from; at < path.length; at++) this.#addStep(at, path[at] as PathStep);
  }

  #collectEdits(): void {
    for (let at = this.#from; at < this.#path.length; at++) {
      const { entry } = this.#path[at] as PathStep;
      if (isEntry(entry, "context_edit")) this.#edits.set(entry.targetId, entry.replacement);
    }
  }

  #addCompaction({ compaction, missing }: Cut): void {
    if (compaction === null) return;
    const { entry } = compaction;
    this.entries.push(entry.id);
    for (const message of contextMessages(entry, this.#edits.get(entry.id))) {
      this.line.addPlain(entry, message);
    }
    if (missing === null) return;
    const gap = { entryId: entry.id, reason: "first-kept-missing", missingId: missing.id } as const;
    this.gaps.push(gap);
    // `from` is at most the compaction's own index, so there is an entry.
    const after = this.#path[this.#from] as PathStep;
    this.line.addPlain(entry, gapMarker(gap, after.entry));
  }

  #addGap(gap: ContextGap, after: Entry): void {
    this.gaps.push(gap);
    this.line.addPlain(after, gapMarker(gap, after));
  }

  #addStep(at: number, { entry, gap }: PathStep): void {
    // What is missing before a compaction that keeps nothing lies in what its summary stands for.
    if (gap !== null && !(at === this.#compactionAt && at === this.#from)) {
      this.#addGap(gapBefore(entry, gap), entry);
    }
    if (at === this.#compactionAt) return;
    if (at < this.#compactionAt && isSystemMessage(entry)) return;
    this.entries.push(entry.id);
    const recorded = recordedGap(entry);
    if (recorded !== null) this.#addGap(recorded, entry);
    if (entry.type === "compaction") return;
    const shown = contextMessages(entry, this.#edits.get(entry.id));
    if (entry.type === "message") this.line.addMessage(entry, shown[0]);
    else for (const message of shown) this.line.addPlain(entry, message);
  }
}

/**
 * What is sent to the model for a path: Pi's raw projection, plus the promises that Pi breaks. Gaps
 * never drop history silently: they are bridged and marked (P7, M8). Calls and results stay together
 * (P9): a kept range is widened back to the call, a result without its call is left out, a call
 * without result is completed with one that is marked as made. Uncompacted compactions give nothing.
 * What has a wrong type is left out. Where nothing is damaged or unpaired, entries and messages equal
 * the raw ones. `path` is the bridged path (`SessionTree.path`); `session` is the session's id, which
 * decides what own state counts. Pure; the same path gives the same bytes (P8); all is frozen.
 *
 * @example
 * const { messages, tokens } = project(steps, header.id);
 */
export function project(path: readonly PathStep[], session: string): Context {
  const { entries, gaps, line } = new ContextLine(path, findCut(path, session));
  const { messages, sources } = line.finish();
  const tokens = estimateContextTokens(messages);
  return freezeDeep({ entries, messages, sources, ...settingsOf(path), tokens, gaps });
}
