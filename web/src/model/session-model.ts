import type { WireEvent } from "branchline/protocol/event.ts";
import type { SessionState } from "branchline/protocol/session.ts";
import { readSession, readTree } from "../api/api.ts";
import { Signal } from "../app/signal.ts";
import { marksOfPath } from "../tree/path-marks.ts";
import { growShape, shapeOf, type TreeShape } from "../tree/tree-shape.ts";
import { lastSeen, noteSeen } from "./last-seen.ts";
import { IDLE, type LiveRun, nextLive } from "./live-run.ts";
import { PathRows } from "./path-rows.ts";
import { Previews } from "./previews.ts";

/** After these the session is read again. */
const CHANGES = new Set([
  "entry_appended",
  "branch_switch",
  "branch_updated",
  "label_changed",
  "context_edit",
  "compaction",
  "queue_update",
  "op_undone",
  "op_redone",
  "diverged",
  "session_updated",
  "run_done",
  "settled",
  "agent_start",
  "run_error",
  "tool_permission",
]);

/** A snapshot comes with every new stream, also while the page is read for the first time: that goes first. In ms. */
const SNAPSHOT_WAIT = 400;

/** One open session as the page knows it: small state, skeleton, windows; never the whole. */
export class SessionModel {
  readonly id: string;
  readonly state: Signal<SessionState | undefined> = new Signal<SessionState | undefined>(
    undefined,
  );
  readonly shape: Signal<TreeShape | undefined> = new Signal<TreeShape | undefined>(undefined);
  readonly live: Signal<LiveRun> = new Signal(IDLE);
  readonly failure: Signal<unknown> = new Signal<unknown>(undefined);
  readonly path: PathRows;
  readonly previews: Previews;
  /** Where an alternative was left last, by its entry: going back and forth returns there. */
  readonly lastLeaves: Map<string, string> = new Map();
  /** Entries that were there at the last visit: what comes behind is new to this person. null = all is. */
  seenBefore: number | null;
  #reading: Promise<void> | undefined;
  #again = false;

  constructor(id: string) {
    this.id = id;
    this.path = new PathRows(id);
    this.previews = new Previews(id);
    this.seenBefore = lastSeen(id);
    this.path.guess = (index) => this.#guess(index);
  }

  /** First reading; the window around `entry`, or the end of the path. Failures land in `failure`. */
  async open(entry: string | null): Promise<void> {
    try {
      this.failure.set(undefined);
      // The window and the state first: rows are on the screen before the tree is here.
      const tree = readTree(this.id, 0);
      tree.catch(() => undefined);
      const [state, window] = await Promise.all([
        readSession(this.id),
        this.path.load(null, entry ?? undefined),
      ]);
      if (state.seen != null) this.seenBefore = state.seen;
      this.state.set(state);
      this.#noteRun(state);
      this.#notePreviews();
      this.shape.set(shapeOf(await tree));
      noteSeen(this.id, this.shape.get()?.size ?? 0);
      if (entry !== null && window.leaf !== state.leaf) await this.path.load(state.leaf);
    } catch (error) {
      this.failure.set(error);
    }
  }

  /** Takes what the server says of this session. */
  hear(event: WireEvent): void {
    if (event.type === "snapshot" || event.sessionId === this.id) {
      this.live.update((live) => nextLive(live, event));
      if (event.type === "snapshot") setTimeout(() => void this.refresh(), SNAPSHOT_WAIT);
      else if (CHANGES.has(event.type)) void this.refresh();
      if (event.type === "label_changed") this.previews.forget();
    }
  }

  /** Reads what changed. Calls that come meanwhile are answered by one further reading. */
  async refresh(): Promise<void> {
    if (this.#reading !== undefined) {
      this.#again = true;
      return await this.#reading;
    }
    // Never rejects: all who wait for it would have to say the same.
    this.#reading = this.#read().catch((error: unknown) => console.warn("refresh", error));
    await this.#reading;
    this.#reading = undefined;
    if (!this.#again) return;
    this.#again = false;
    void this.refresh();
  }

  async #read(): Promise<void> {
    const older = this.shape.get();
    const [state, columns] = await Promise.all([
      readSession(this.id),
      readTree(this.id, older?.size ?? 0),
    ]);
    await this.path.load(state.leaf);
    this.#notePreviews();
    this.shape.set(columns.from > 0 ? growShape(older, columns) : shapeOf(columns));
    this.state.set(state);
    this.#noteRun(state);
    noteSeen(this.id, this.shape.get()?.size ?? 0);
  }

  /** Shows another path at once, before the server was told. */
  async show(leaf: string | null, around?: string): Promise<void> {
    try {
      await this.path.load(leaf, around);
    } catch (error) {
      // A newer reading took its place, and that one shows what is there.
      if (error instanceof DOMException && error.name === "AbortError") return;
      throw error;
    }
    this.#notePreviews();
    const place = this.placeOf(leaf);
    const shape = this.shape.get();
    if (shape !== undefined && place !== undefined) {
      this.shape.set({ ...shape, leaf: place, position: place });
    }
    const state = this.state.get();
    if (state !== undefined) this.state.set({ ...state, leaf });
  }

  /** Place of an entry, where the page knows it. */
  placeOf(id: string | null): number | undefined {
    if (id === null) return -1;
    if (id.startsWith("~")) return Number(id.slice(1));
    const known = this.shape.get()?.places.get(id) ?? this.previews.placeOf(id);
    if (known !== undefined) return known;
    const index = this.path.indexOf(id);
    return index === undefined ? undefined : this.path.at(index)?.place;
  }

  /** Id of the entry at a place, or its name by place. */
  nameOf(place: number): string {
    return this.shape.get()?.ids.get(place) ?? this.previews.at(place)?.id ?? `~${place}`;
  }

  #guess(index: number): string | null {
    const shape = this.shape.get();
    if (shape === undefined) return null;
    const leaf = this.placeOf(this.path.leaf) ?? shape.leaf;
    const { places } = marksOfPath(leaf === shape.leaf ? shape : { ...shape, leaf });
    const at = places[Math.min(index, places.length - 1)];
    return at === undefined ? null : `~${at}`;
  }

  #notePreviews(): void {
    for (const [, row] of this.path.known()) this.previews.put(row);
    this.previews.version.update((version) => version + 1);
  }

  #noteRun({ run }: SessionState): void {
    const live = this.live.get();
    if (run === null) {
      if (live.state !== "idle") this.live.set({ ...IDLE, error: live.error });
    } else if (live.runId !== run.id) {
      const state = run.state === "compacting" ? "compacting" : "running";
      this.live.set({ ...live, runId: run.id, state, error: null });
    }
  }
}
