import type { SessionHeader } from "./entry.ts";
import { entryFault, isObject } from "./entry-check.ts";
import { isoTime } from "./iso-time.ts";
import { isJsonEqual } from "./json-equal.ts";
import { lostFrom } from "./line-decode.ts";
import type { LostRecord } from "./line-split.ts";
import { BRANCH_TYPE, LEAF_TYPE } from "./own-state.ts";
import { V4Ancestry } from "./v4-ancestry.ts";
import { type Lane, V4Lanes } from "./v4-lanes.ts";
import {
  type LaneConfig,
  laneConfig,
  readWrite,
  type TipWrite,
  tipOf,
  type V4Write,
} from "./v4-write.ts";

type Members = Readonly<Record<string, unknown>>;
type ValueWrite = Extract<V4Write, { readonly kind: "value" }>;

/** What a write turned into. */
export type Translated =
  | { readonly kind: "entry"; readonly members: Members }
  | { readonly kind: "fault"; readonly reason: string; readonly lost: LostRecord }
  | { readonly kind: "missing"; readonly entryId: string };

/** The writes of one line, which count together, while they are translated. */
interface Transaction {
  readonly writes: readonly V4Write[];
  /** Start of the ids of what is derived from this line. */
  readonly prefix: string;
  /** The lanes whose tips it sets, as far as they are known. */
  readonly lanes: Lane[];
  /** Usage writes that went into the entry they belong to. */
  readonly used: Set<V4Write>;
  readonly out: Translated[];
  derived: number;
}

/**
 * Turns the writes of a v4 file into entries as v3 has them (formats.md §2.2). Ids of the file stay;
 * derived entries get ids from the number of their line and their place in it, so that every process
 * gives them the same ones.
 */
export class V4Translator {
  readonly #ancestry = new V4Ancestry();
  readonly #lanes = new V4Lanes();
  #session = "";
  #time = "";

  /** Tells the session, which our own state names, and the time before the first entry. */
  begin(header: SessionHeader): void {
    this.#session = header.id;
    this.#time = header.timestamp;
  }

  /** The writes of one line; `record` is unique to it. */
  transaction(objects: readonly Members[], record: string): readonly Translated[] {
    const transaction: Transaction = {
      writes: objects.map(readWrite),
      prefix: `v4-${record}`,
      lanes: [],
      used: new Set<V4Write>(),
      out: [],
      derived: 0,
    };
    this.#findLanes(transaction);
    for (const write of transaction.writes) this.#translate(write, transaction);
    return transaction.out;
  }

  /** The marker at the end of what there is: where the branch that was written last stands. */
  leaf(record: string): Members | null {
    const { active } = this.#lanes;
    if (active === null) return null;
    const { end } = active;
    const id = `v4-${record}-leaf`;
    return { type: "leaf", id, parentId: end, timestamp: this.#time, targetId: end };
  }

  /** The lanes that the entries of a line belong to; a new one starts above its own entries. */
  #findLanes(transaction: Transaction): void {
    const parents = new Map<unknown, unknown>();
    for (const { kind, members } of transaction.writes)
      if (kind === "entry") parents.set(members.id, members.parentId);
    for (const tip of transaction.writes.map(tipOf)) {
      if (tip === null) continue;
      const known = this.#lanes.get(tip.lane);
      if (known !== undefined) transaction.lanes.push(known);
      else if (parents.has(tip.tip)) {
        const parent = rootOf(tip.tip, parents);
        const start = { lane: tip.lane, tip: typeof parent === "string" ? parent : null };
        transaction.lanes.push(this.#openLane(start, transaction));
      }
    }
    const last = transaction.lanes.at(-1);
    if (last !== undefined) this.#lanes.activate(last);
  }

  #translate(write: V4Write, transaction: Transaction): void {
    if (write.kind === "entry") this.#entry(write.members, transaction);
    else if (write.kind === "usage") this.#usage(write, transaction);
    else if (write.kind === "value") this.#value(write, transaction);
    else this.#keep(write, transaction);
  }

  #entry(write: Members, transaction: Transaction): void {
    const { kind: _kind, seq: _seq, retainedTail, ...members } = write;
    const fault = entryFault(members);
    if (fault !== null) {
      transaction.out.push({ kind: "fault", reason: fault, lost: lostFrom(members) });
      return;
    }
    const id = members.id as string;
    const parentId = typeof members.parentId === "string" ? members.parentId : null;
    const time = isoTime(members.timestamp);
    if (time !== "") this.#time = time;
    const entry: Members = {
      ...this.#withUsage(members, transaction),
      ...(members.type === "compaction" ? this.#kept(members, retainedTail) : {}),
      parentId: this.#lanes.place({ id, parentId }, transaction.lanes),
      timestamp: time,
    };
    this.#ancestry.add({ ...entry, parentId });
    transaction.out.push({ kind: "entry", members: entry });
  }

  /** The first kept entry in place of the copied messages; copies of what is not there stay. */
  #kept(compaction: Members, retainedTail: unknown): Members {
    const tail: readonly unknown[] = Array.isArray(retainedTail) ? retainedTail : [];
    const found = this.#ancestry.firstKept(compaction.parentId, tail);
    if (found !== null || tail.length === 0) return { firstKeptEntryId: found ?? compaction.id };
    const { details } = compaction;
    const others = isObject(details) || details === undefined ? details : { details };
    return { firstKeptEntryId: compaction.id, details: { ...others, retainedTail } };
  }

  /** Takes in the usage that the same line states for the entry. */
  #withUsage(members: Members, transaction: Transaction): Members {
    const { type, message } = members;
    const target = type === "message" && isObject(message) ? message : members;
    const write = transaction.writes.find(
      (one) => one.kind === "usage" && one.members.entryId === members.id,
    );
    const usage = write?.members.usage;
    if (write === undefined || target.usage !== undefined || !isObject(usage)) return members;
    transaction.used.add(write);
    return target === members
      ? { ...members, usage }
      : { ...members, message: { ...target, usage } };
  }

  #usage(write: V4Write, transaction: Transaction): void {
    if (transaction.used.has(write)) return;
    const { usage, entryId, adjustment, details } = write.members;
    // The importer of v3 files adds up what the messages state already.
    const isRepeated =
      this.#ancestry.hasUsage(entryId) || (isObject(details) && details.source === "v3-import");
    if (isRepeated || !isObject(usage)) {
      this.#keep(write, transaction);
      return;
    }
    const kind = adjustment === true ? "adjustment" : "request";
    const more = {
      ...(entryId === undefined ? {} : { entryId }),
      ...(details === undefined ? {} : { details }),
    };
    this.#derive({ type: "usage", kind, usage, ...more }, transaction);
  }

  #value(write: ValueWrite, transaction: Transaction): void {
    const { namespace, key, value } = write;
    const lane = this.#lanes.get(key) ?? this.#lanes.active;
    const tip = tipOf(write);
    if (tip !== null) this.#tip(tip, transaction);
    else if (namespace === "pi.lane.config" && isObject(value))
      this.#configure(laneConfig(value), lane, transaction);
    else {
      const row = this.#row(write);
      if (row === null) this.#keep(write, transaction);
      else this.#derive(row, transaction);
    }
  }

  /** The row of a session-wide table that a value stands for, or null. */
  #row(write: ValueWrite): Members | null {
    const { namespace, key, value } = write;
    const text = value === undefined ? "" : value;
    if (namespace === "pi.session.name" && typeof text === "string")
      return { type: "session_info", name: text };
    if (namespace === "pi.entry.label" && typeof text === "string")
      return { type: "label", targetId: key, ...(text === "" ? {} : { label: text }) };
    const lane = this.#lanes.get(key);
    if (namespace !== "pi.branch.tip" || value !== undefined || lane === undefined) return null;
    const data = { session: this.#session, branch: lane.branch, archived: true };
    return { type: "custom", customType: BRANCH_TYPE, data };
  }

  #configure(next: LaneConfig, lane: Lane | null, transaction: Transaction): void {
    const before = lane?.config ?? {};
    const { model, thinkingLevel, activeToolNames } = next;
    if (lane !== null) lane.config = { ...before, ...next };
    const rows: Members[] = [];
    if (model !== undefined && !isJsonEqual(model, before.model))
      rows.push({ type: "model_change", ...model });
    if (thinkingLevel !== undefined && thinkingLevel !== before.thinkingLevel)
      rows.push({ type: "thinking_level_change", thinkingLevel });
    if (activeToolNames !== undefined && !isJsonEqual(activeToolNames, before.activeToolNames))
      rows.push({ type: "active_tools_change", activeToolNames });
    for (const row of rows) this.#derive(row, transaction, lane);
  }

  #tip(write: TipWrite, transaction: Transaction): void {
    const { tip } = write;
    if (tip !== null && !this.#ancestry.has(tip)) {
      transaction.out.push({ kind: "missing", entryId: tip });
      return;
    }
    const lane = this.#lanes.get(write.lane);
    if (lane === undefined) {
      this.#openLane(write, transaction);
      return;
    }
    this.#lanes.activate(lane);
    if (lane.tip === tip) return;
    // A move to another entry: what follows is a branch of its own.
    const former = lane.branch;
    lane.tip = tip;
    lane.end = this.#lanes.endOf(tip);
    this.#start(lane, transaction);
    if (former !== "main") this.#name(former, null, transaction);
  }

  #openLane(write: TipWrite, transaction: Transaction): Lane {
    const isFirst = this.#lanes.isFirst();
    const lane = this.#lanes.open(write.lane, write.tip);
    if (!isFirst) this.#start(lane, transaction);
    else if (lane.name !== "main") this.#name(lane.branch, lane.name, transaction);
    return lane;
  }

  /** Starts a branch at the end of the lane. */
  #start(lane: Lane, transaction: Transaction): void {
    const data = { session: this.#session, start: true };
    const id = this.#derive({ type: "custom", customType: LEAF_TYPE, data }, transaction);
    lane.branch = id;
    // Our own "main" is the branch before any marker.
    if (lane.name !== "main") this.#name(id, lane.name, transaction);
  }

  #name(branch: string, name: string | null, transaction: Transaction): void {
    const data = { session: this.#session, branch, name };
    this.#derive({ type: "custom", customType: BRANCH_TYPE, data }, transaction);
  }

  /** What has no entry type of its own: kept as it stands. */
  #keep(write: V4Write, transaction: Transaction): void {
    const { kind } = write.members;
    const known = kind === "usage" || kind === "value" || kind === "list" ? kind : "other";
    const row = { type: "custom", customType: `pi.v4.${known}`, data: write.members };
    this.#derive(row, transaction);
  }

  /** Gives out an entry that is made up from a write, behind the end of a lane; gives its id. */
  #derive(
    members: Members,
    transaction: Transaction,
    lane: Lane | null = this.#lanes.active,
  ): string {
    const { type, ...rest } = members;
    const id = `${transaction.prefix}-${transaction.derived++}`;
    const parentId = this.#lanes.append(id, lane);
    const frame = { type, id, parentId, timestamp: this.#time };
    transaction.out.push({ kind: "entry", members: { ...frame, ...rest } });
    return id;
  }
}

/** The parent above the entries of one line that lead to `id`. */
function rootOf(id: unknown, parents: ReadonlyMap<unknown, unknown>): unknown {
  let root = id;
  // Bounded, because hostile parents may run in a circle.
  for (let step = 0; step < parents.size && parents.has(root); step++) root = parents.get(root);
  return root;
}
