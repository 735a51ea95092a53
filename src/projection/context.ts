import type { Entry } from "../entry/entry.ts";
import { isEntry } from "../entry/entry-check.ts";
import { freezeDeep } from "../entry/freeze.ts";
import type { Message } from "../entry/message.ts";
import { uncompactMark } from "../entry/own-state.ts";
import { contextMessages, shownMessage } from "./context-messages.ts";
import { type Cut, findCut, type PathStep } from "./cut.ts";
import { isSystemMessage, type Replacement } from "./entry-messages.ts";
import { type ContextGap, gapBefore, gapMarker, recordedGap } from "./gap-marker.ts";
import { PairedLine } from "./paired-line.ts";
import { type Settings, settingsOf } from "./settings.ts";
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

/** Where the context of a path begins, in a part of it that runs to its end. */
export interface TailCut {
  /** Index of the active compaction (`activeCompaction` of the fold at the end of the path). */
  readonly compactionAt: number;
  /** Index of its first kept entry; its own where it keeps nothing. */
  readonly from: number;
}

/**
 * The context of a path that may go on: {@link project} step by step. What is settled is worked out
 * once; a further step costs what the step costs. Pure; walks only what is selected.
 */
export class GrowingContext {
  readonly #entries: string[] = [];
  readonly #gaps: ContextGap[] = [];
  readonly #line = new PairedLine();
  readonly #session: string;
  readonly #from: number;
  readonly #compactionAt: number;
  readonly #edits = new Map<string, Replacement>();
  /** Targets of the edits that were passed so far. */
  readonly #edited = new Set<string>();
  /** False where an edit stands before its target: then pairs are not seen alike from both ends. */
  #isOrderly = true;
  #length = 0;

  private constructor(session: string, cut: Cut, from: number) {
    this.#session = session;
    this.#from = from;
    this.#compactionAt = cut.compaction?.at ?? -1;
  }

  /** The context of a whole path; see {@link project}. */
  static ofPath(path: readonly PathStep[], session: string): GrowingContext {
    const cut = findCut(path, session);
    const from = cut.compaction === null ? 0 : widenStart(path, cut.from).start;
    return new GrowingContext(session, cut, from).#build(path, cut);
  }

  /**
   * The context of a path of which only the last steps are given. null where they may not be enough: a
   * result in them has its call above, or nowhere.
   */
  static ofTail(tail: readonly PathStep[], session: string, at: TailCut): GrowingContext | null {
    const { entry } = tail[at.compactionAt] as PathStep;
    const compaction = { entry, at: at.compactionAt };
    const { start, isSettled } = widenStart(tail, at.from);
    if (!isSettled) return null;
    const cut = { compaction, from: at.from, missing: null };
    return new GrowingContext(session, cut, start).#build(tail, cut);
  }

  /**
   * Adds the step below the last one. False where that may change what is there already (a compaction,
   * an edit, an uncompact mark, a gap, a result whose call may have been cut off): nothing is added then, and
   * the context has to be made anew.
   */
  add(step: PathStep): boolean {
    if (!this.#isPlain(step)) return false;
    this.#addStep(step);
    return true;
  }

  /** The context so far, with the settings of the fold at the end of the path; frozen. */
  context({ model, thinkingLevel, activeTools }: Settings): Context {
    const { messages, sources, tokens } = this.#line.finish();
    return Object.freeze({
      entries: Object.freeze(this.#entries.slice()),
      messages: Object.freeze(messages),
      sources: Object.freeze(sources),
      ...freezeDeep({ model, thinkingLevel, activeTools }),
      tokens,
      gaps: Object.freeze(this.#gaps.slice()),
    });
  }

  #build(path: readonly PathStep[], cut: Cut): this {
    for (let at = this.#from; at < path.length; at++) {
      const { entry } = path[at] as PathStep;
      if (isEntry(entry, "context_edit")) this.#edits.set(entry.targetId, entry.replacement);
    }
    this.#addCompaction(path, cut);
    this.#length = this.#from;
    for (let at = this.#from; at < path.length; at++) this.#addStep(path[at] as PathStep);
    return this;
  }

  #isPlain({ entry, gap }: PathStep): boolean {
    if (gap !== null || !this.#isOrderly || this.#edits.has(entry.id)) return false;
    if (entry.type === "compaction" || entry.type === "context_edit") return false;
    if (uncompactMark(entry, this.#session) !== null) return false;
    return this.#compactionAt === -1 || !this.#line.isUnasked(entry);
  }

  #addCompaction(path: readonly PathStep[], { compaction, missing }: Cut): void {
    if (compaction === null) return;
    const { entry } = compaction;
    this.#entries.push(entry.id);
    for (const message of contextMessages(entry, this.#edits.get(entry.id))) {
      this.#line.addPlain(entry, message);
    }
    if (missing === null) return;
    const gap = { entryId: entry.id, reason: "first-kept-missing", missingId: missing.id } as const;
    this.#gaps.push(Object.freeze(gap));
    // `from` is at most the compaction's own index, so there is an entry.
    const first = path[this.#from] as PathStep;
    this.#line.addPlain(entry, gapMarker(gap, first.entry));
  }

  #addGap(gap: ContextGap, after: Entry): void {
    this.#gaps.push(Object.freeze(gap));
    this.#line.addPlain(after, gapMarker(gap, after));
  }

  #addStep({ entry, gap }: PathStep): void {
    const at = this.#length++;
    if (this.#edited.has(entry.id)) this.#isOrderly = false;
    if (isEntry(entry, "context_edit")) this.#edited.add(entry.targetId);
    // What is missing before a compaction that keeps nothing lies in what its summary stands for.
    if (gap !== null && !(at === this.#compactionAt && at === this.#from)) {
      this.#addGap(gapBefore(entry, gap), entry);
    }
    if (at === this.#compactionAt) return;
    if (at < this.#compactionAt && isSystemMessage(entry)) return;
    this.#entries.push(entry.id);
    const recorded = recordedGap(entry);
    if (recorded !== null) this.#addGap(recorded, entry);
    if (entry.type === "compaction") return;
    const edit = this.#edits.get(entry.id);
    if (isEntry(entry, "message")) this.#line.addMessage(entry, shownMessage(entry, edit));
    else for (const message of contextMessages(entry, edit)) this.#line.addPlain(entry, message);
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
  return GrowingContext.ofPath(path, session).context(settingsOf(path));
}
