import assert from "node:assert/strict";
import type { Entry, EntryDraft } from "../../src/entry/entry.ts";
import { BranchlineError } from "../../src/errors.ts";
import { seededRandom } from "../../src/io/testing/seeded-random.ts";
import { forkSession } from "../../src/session/fork.ts";
import { checkSession } from "../../src/session/fsck.ts";
import { Session } from "../../src/session/session.ts";
import { MemoryMachine, piLine } from "../../src/store/jsonl/testing/memory-fixture.ts";
import { DiskImage } from "../crash/disk-image.ts";
import { machineOf } from "../crash/recovery.ts";
import { type ModelHandle, type ModelStep, SessionModel } from "./session-model.ts";

/** The kind of a command. */
export type CommandKind =
  | ("say" | "answer" | "group" | "move" | "root" | "label" | "hide" | "unhide" | "compact")
  | ("uncompact" | "undoMove" | "fork" | "other" | "pi" | "torn" | "refused")
  | ("kill" | "powerCut" | "compare");

/** All commands. */
export const COMMANDS: readonly CommandKind[] = [
  ...(["say", "answer", "group", "move", "root", "label", "hide", "unhide", "compact"] as const),
  ...(["uncompact", "undoMove", "fork", "other", "pi", "torn", "refused"] as const),
  ...(["kill", "powerCut", "compare"] as const),
];

/** One command; `pick` chooses among what there is at that moment. */
export interface Command {
  readonly kind: CommandKind;
  readonly pick: number;
}

const ID = "model";

interface Actor {
  readonly session: Session;
  readonly place: ModelHandle;
}

/** Plays commands on the engine and on the model and compares them (I1–I11 of reliability.md §6). */
export class ModelRun {
  #machine = new MemoryMachine();
  #disk = new DiskImage();
  #applied = 0;
  #actors: Actor[] = [];
  #count = 0;
  #seed = 0;
  #file = "";
  #hasTorn = false;
  /** Length and content of the log at the last look: its bytes never change (I7). */
  #log = "";
  readonly #model = new SessionModel();

  /** Plays all commands; throws where engine and model differ. */
  async play(commands: readonly Command[]): Promise<void> {
    const created = await this.#do(this.#store().create({ id: ID, cwd: "/p" }));
    this.#file = created.file as string;
    await this.#do(created.close());
    await this.#attach();
    for (const command of commands) {
      await this.#command(command);
      await this.#compare(this.#actor(0));
    }
    await this.#restart("kill");
  }

  #store(): ReturnType<MemoryMachine["store"]> {
    this.#seed++;
    return this.#machine.store({ random: seededRandom(1000 + this.#seed) });
  }

  async #do<T>(work: Promise<T>): Promise<T> {
    return await this.#machine.run(work);
  }

  #actor(pick: number): Actor {
    return this.#actors[pick % this.#actors.length] as Actor;
  }

  async #attach(): Promise<void> {
    this.#actors = [];
    for (let count = 0; count < 2; count++) {
      const store = await this.#do(this.#store().open(ID));
      this.#seed++;
      const random = seededRandom(5000 + this.#seed);
      const session = await this.#do(Session.attach(store, { clock: this.#machine.clock, random }));
      this.#actors.push({ session, place: { branch: this.#model.stored } });
    }
  }

  async #command({ kind, pick }: Command): Promise<void> {
    const actor = this.#actor(kind === "other" ? 1 : 0);
    switch (kind) {
      case "say":
      case "other":
        return await this.#append(actor, [this.#message("user")]);
      case "answer":
        return await this.#append(actor, [this.#message("assistant")]);
      case "group":
        return await this.#append(actor, [this.#message("user"), this.#message("assistant")]);
      case "root":
        return await this.#move(actor, null);
      case "move":
        return await this.#move(actor, this.#any(pick));
      case "undoMove":
        return await this.#undoMove(actor, this.#any(pick));
      case "label":
        return await this.#label(actor, this.#any(pick));
      case "hide":
      case "unhide":
        return await this.#edit(actor, kind, pick);
      case "compact":
        return await this.#compact(actor, pick);
      case "uncompact":
        return await this.#uncompact(actor);
      case "fork":
        return await this.#fork(actor);
      case "pi":
        return await this.#piAppends();
      case "torn":
        return this.#tornByAnother();
      case "refused":
        return await this.#refused(actor);
      case "kill":
      case "powerCut":
        return await this.#restart(kind);
      case "compare":
        return await this.#compareAll();
    }
  }

  #any(pick: number): ModelStep | null {
    const all = [...this.#model.steps.values()].filter(({ kind }) => kind !== "edit");
    return all[pick % Math.max(1, all.length)] ?? null;
  }

  #message(role: "user" | "assistant"): { readonly kind: typeof role; readonly draft: EntryDraft } {
    const text = `${role} ${this.#count++} 会话`;
    const answer = {
      role: "assistant",
      provider: "p",
      model: "m",
      content: [{ type: "text", text }],
    };
    const message = role === "user" ? { role, content: text } : answer;
    return { kind: role, draft: { type: "message", message } };
  }

  async #append(
    { session, place }: Actor,
    messages: readonly { readonly kind: "user" | "assistant"; readonly draft: EntryDraft }[],
  ): Promise<void> {
    const entries = await this.#do(session.append(messages.map(({ draft }) => draft)));
    for (const [index, entry] of entries.entries()) {
      const kind = messages[index]?.kind ?? "user";
      this.#model.append(place, { id: entry.id, kind, text: textOf(entry), more: "" });
    }
  }

  async #move({ session, place }: Actor, target: ModelStep | null): Promise<void> {
    const moved = await this.#do(session.moveLeaf(target?.id ?? null));
    const how = this.#model.move(place, target, moved.branch);
    assert.equal(
      moved.started,
      how === "started",
      "a branch began where it should not, or did not",
    );
    assert.equal(moved.branch, place.branch, "another branch than the model's");
  }

  /** A move and its undo, one behind the other: everything is as before. */
  async #undoMove(actor: Actor, target: ModelStep | null): Promise<void> {
    const before = actor.place.branch;
    await this.#move(actor, target);
    if (actor.place.branch === before) return;
    await this.#do(actor.session.undo());
    actor.place.branch = before;
    this.#model.stored = before;
  }

  async #label({ session, place }: Actor, target: ModelStep | null): Promise<void> {
    if (target === null) return;
    const op = await this.#do(session.setLabel(target.id, `label ${this.#count++}`));
    assert.notEqual(op, null);
    this.#model.stored = place.branch;
    this.#model.used.add(place.branch);
  }

  async #edit({ session, place }: Actor, kind: "hide" | "unhide", pick: number): Promise<void> {
    const messages = this.#model.messages(this.#model.head(place));
    const target = messages[pick % Math.max(1, messages.length)];
    if (target === undefined) return;
    const isHidden = this.#model.hidden(this.#model.head(place)).has(target.id);
    const op = await this.#do(session[kind](target.id));
    assert.equal(op === null, isHidden === (kind === "hide"), `${kind} did not do what it says`);
    if (op === null) return;
    const more = kind === "hide" ? "hidden" : "shown";
    this.#model.append(place, { id: this.#leafId(session), kind: "edit", text: target.id, more });
  }

  async #compact({ session, place }: Actor, pick: number): Promise<void> {
    const messages = this.#model.messages(this.#model.head(place));
    const first = messages[pick % Math.max(1, messages.length)];
    if (first === undefined) return;
    const summary = `summary ${this.#count++}`;
    const draft = { type: "compaction", summary, firstKeptEntryId: first.id, tokensBefore: 1 };
    const [entry] = await this.#do(session.append(draft));
    const id = entry?.id ?? "";
    this.#model.append(place, { id, kind: "compaction", text: summary, more: first.id });
  }

  async #uncompact({ session, place }: Actor): Promise<void> {
    const target = this.#model.compaction(this.#model.head(place));
    if (target === undefined) {
      await assert.rejects(this.#do(session.uncompact()), (error) =>
        BranchlineError.is(error, "TARGET_INVALID"),
      );
      return;
    }
    await this.#do(session.uncompact());
    const id = this.#leafId(session);
    this.#model.append(place, { id, kind: "uncompact", text: target.id, more: "" });
  }

  async #fork({ session, place }: Actor): Promise<void> {
    const store = this.#store();
    const made = await this.#do(forkSession({ from: session, at: session.leaf, store }));
    const fork = await this.#do(Session.attach(made));
    const { messages } = await this.#do(fork.context());
    assert.deepEqual(messages.map(lineOf), this.#model.context(this.#model.head(place)));
    await this.#do(fork.close());
  }

  /** Pi goes on under the last line of the file. */
  async #piAppends(): Promise<void> {
    if (this.#hasTorn) return;
    const last = await this.#lastId();
    const id = `pi${this.#count++}`;
    this.#foreign(piLine(id, last, `pi ${id}`));
    const place = { branch: this.#model.stored };
    this.#model.append(place, { id, kind: "user", text: `pi ${id}`, more: "" });
    for (const { session } of this.#actors) await this.#do(session.refresh());
  }

  /** Another program dies in the middle of a line. */
  #tornByAnother(): void {
    if (this.#hasTorn) return;
    this.#foreign('{"type":"message","id":"torn","par');
    this.#hasTorn = true;
  }

  #foreign(text: string): void {
    const bytes = Buffer.from(text);
    this.#sync();
    this.#machine.fs.appendForeign(this.#file, bytes);
    this.#disk.appendStable(this.#file, bytes);
  }

  /** A full disk: nothing is changed, and the same works afterwards (P5). */
  async #refused({ session }: Actor): Promise<void> {
    this.#machine.fs.failNext("write", { errno: "ENOSPC", partialBytes: 7 });
    const { draft } = this.#message("user");
    await assert.rejects(this.#do(session.append(draft)), (error) =>
      BranchlineError.is(error, "IO_FAILED"),
    );
  }

  /** Every process dies; after a power cut only what was synced is there. */
  async #restart(kind: "kill" | "powerCut"): Promise<void> {
    this.#sync();
    const survival = kind === "kill" ? "all" : "stable";
    const image = this.#disk.after({ names: survival, bytes: survival });
    this.#machine = machineOf(image);
    this.#disk = new DiskImage();
    this.#applied = 0;
    for (const [path, bytes] of image) {
      const stat = await this.#machine.fs.lstat(path);
      if (stat !== undefined) this.#disk.load(path, stat.ino, bytes);
    }
    await this.#attach();
    await this.#compareAll();
  }

  #sync(): void {
    const { ops } = this.#machine.fs;
    for (; this.#applied < ops.length; this.#applied++) {
      const op = ops[this.#applied];
      if (op !== undefined) this.#disk.apply(op);
    }
  }

  async #compare({ session, place }: Actor): Promise<void> {
    await this.#do(session.refresh());
    const { messages } = await this.#do(session.context());
    assert.deepEqual(messages.map(lineOf), this.#model.context(this.#model.head(place)));
    const log = this.#machine.fs.text(this.#file);
    const kept = this.#hasTorn ? this.#log.slice(0, this.#log.lastIndexOf("\n") + 1) : this.#log;
    assert.ok(log.startsWith(kept), "bytes of the log have changed (I7)");
    this.#log = log.slice(0, log.lastIndexOf("\n") + 1);
    if (log.endsWith("\n")) this.#hasTorn = false;
  }

  /** Every branch and every step, read by a handle of its own (I6), and a check that finds no damage. */
  async #compareAll(): Promise<void> {
    const store = await this.#do(this.#store().open(ID));
    const session = await this.#do(Session.attach(store));
    for (const step of this.#model.steps.values()) {
      const { messages } = await this.#do(session.context({ at: step.id }));
      assert.deepEqual(messages.map(lineOf), this.#model.context(step), `context at ${step.id}`);
    }
    const report = await this.#do(checkSession(store));
    const found = report.problems.filter(
      ({ code }) => code !== "TAIL_TORN" && code !== "LINE_NOT_JSON",
    );
    assert.deepEqual(found, []);
    await this.#do(session.close());
  }

  #leafId(session: Session): string {
    return session.leaf ?? "";
  }

  async #lastId(): Promise<string | null> {
    const store = await this.#do(this.#store().open(ID));
    const [last] = await this.#do(store.last(1));
    await this.#do(store.close());
    return last?.id ?? null;
  }
}

function textOf(entry: Entry): string {
  return lineOf((entry as { readonly message?: unknown }).message).replace(/^[a-zA-Z]*:/, "");
}

function lineOf(message: unknown): string {
  const { role, content, summary } = message as Readonly<Record<string, unknown>>;
  if (typeof summary === "string") return `${String(role)}:${summary}`;
  if (typeof content === "string") return `${String(role)}:${content}`;
  const blocks = content as readonly { readonly text?: string }[];
  return `${String(role)}:${blocks.map(({ text }) => text ?? "").join("")}`;
}
