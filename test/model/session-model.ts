/** One thing on a path that a context may depend on. */
export interface ModelStep {
  readonly id: string;
  readonly parent: ModelStep | null;
  readonly branch: string;
  readonly kind: "user" | "assistant" | "compaction" | "edit" | "uncompact";
  /** Text of a message or summary; for edits and uncompact marks the id of the target. */
  readonly text: string;
  /** compaction: id of the first kept message. edit: "hidden" or "shown". */
  readonly more: string;
}

/** Where one handle stands. */
export interface ModelHandle {
  branch: string;
}

/**
 * A session as a person would describe it: steps that hang under steps, branches with heads, and the
 * rule by which a path becomes a context. Written without a look at the engine; slow and plain.
 */
export class SessionModel {
  readonly steps: Map<string, ModelStep> = new Map();
  /** The head of each branch, in the order in which the branches began. */
  readonly heads: Map<string, ModelStep | null> = new Map([["main", null]]);
  /** Branches that hold anything; one without is only the trace of a move, unless one stands on it. */
  readonly used: Set<string> = new Set(["main"]);
  /** The branch that was written to last: who opens the session next stands there. */
  stored = "main";

  head(handle: ModelHandle): ModelStep | null {
    return this.heads.get(handle.branch) ?? null;
  }

  append(handle: ModelHandle, step: Pick<ModelStep, "id" | "kind" | "text" | "more">): void {
    const { branch } = handle;
    const made: ModelStep = { ...step, parent: this.head(handle), branch };
    this.steps.set(step.id, made);
    this.heads.set(branch, made);
    if (step.kind !== "uncompact") this.used.add(branch);
    this.stored = branch;
  }

  /** Goes on along a branch that ends at the target, else starts a new one there. */
  move(handle: ModelHandle, target: ModelStep | null, newBranch: string): "joined" | "started" {
    const ends = (branch: string): boolean => (this.heads.get(branch) ?? null) === target;
    const near = [target?.branch ?? "main", handle.branch];
    const counts = (branch: string): boolean => this.used.has(branch) || branch === this.stored;
    const all = [...this.heads.keys()].filter(counts);
    const branch = near.find(ends) ?? all.findLast(ends);
    handle.branch = branch ?? newBranch;
    this.stored = handle.branch;
    if (branch === undefined) this.heads.set(newBranch, target);
    return branch === undefined ? "started" : "joined";
  }

  path(from: ModelStep | null): ModelStep[] {
    const path: ModelStep[] = [];
    for (let at = from; at !== null; at = at.parent) path.push(at);
    return path.reverse();
  }

  /** The compaction in force: the newest one that no later mark takes out of force. */
  compaction(from: ModelStep | null): ModelStep | undefined {
    const path = this.path(from);
    return path.findLast(
      (step, place) =>
        step.kind === "compaction" &&
        !path.some((mark, at) => at > place && mark.kind === "uncompact" && mark.text === step.id),
    );
  }

  hidden(from: ModelStep | null): ReadonlySet<string> {
    const hidden = new Set<string>();
    for (const { kind, text, more } of this.path(from)) {
      if (kind === "edit" && more === "hidden") hidden.add(text);
      if (kind === "edit" && more === "shown") hidden.delete(text);
    }
    return hidden;
  }

  /** What the model receives: `role:text` for each message. */
  context(from: ModelStep | null): string[] {
    const path = this.path(from);
    const compaction = this.compaction(from);
    const hidden = this.hidden(from);
    const start = path.findIndex(({ id }) => id === compaction?.more);
    const kept = compaction === undefined ? path : path.slice(start);
    const lines = kept
      .filter(({ kind, id }) => (kind === "user" || kind === "assistant") && !hidden.has(id))
      .map(({ kind, text }) => `${kind}:${text}`);
    return compaction === undefined ? lines : [`compactionSummary:${compaction.text}`, ...lines];
  }

  /** Messages on a path. */
  messages(from: ModelStep | null): ModelStep[] {
    return this.path(from).filter(({ kind }) => kind === "user" || kind === "assistant");
  }
}
