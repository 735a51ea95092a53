/** Our program as others see it: its command line, one process a call, in a data folder of its own. */
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

const PROGRAM = path.join(import.meta.dirname, "../bin/branchline.js");
export const SAMPLES: string = path.join(import.meta.dirname, "../examples/sessions");

export interface Context {
  readonly leaf: string | null;
  readonly position: string | null;
  readonly model: { readonly provider: string; readonly modelId: string } | null;
  readonly thinkingLevel: string;
  readonly entries: readonly string[];
  readonly messages: readonly unknown[];
}

export interface Tree {
  readonly leaf: string | null;
  readonly nodes: readonly { readonly id: string; readonly parentId: string | null }[];
}

/** An entry as `append` takes it: without id, parentId, timestamp. */
export type Draft = Readonly<Record<string, unknown>> & { readonly type: string };

/** One temporary folder: data root and working folder. */
export class BranchlineProgram implements Disposable {
  readonly folder: string = mkdtempSync(path.join(tmpdir(), "branchline-interop-"));

  /** Runs it and gives standard output. Throws with standard error unless the exit code is 0. */
  run(args: readonly string[], input = ""): string {
    const done = spawnSync(process.execPath, [PROGRAM, ...args], {
      cwd: this.folder,
      encoding: "utf8",
      env: { ...process.env, BRANCHLINE_HOME: this.folder, NO_COLOR: "1" },
      input,
    });
    if (done.status === 0) return done.stdout;
    throw new Error(`branchline ${args.join(" ")}: exit ${done.status}\n${done.stderr}`);
  }

  /** A new session: the path of its file. */
  newSession(): string {
    return (JSON.parse(this.run(["new", "--json"])) as { path: string }).path;
  }

  /** A copy of a shipped sample: the path of the copy. */
  copySample(name: string): string {
    const copy = path.join(this.folder, name);
    copyFileSync(path.join(SAMPLES, name), copy);
    return copy;
  }

  /** Appends and gives the new ids. */
  append(file: string, drafts: readonly Draft[]): readonly string[] {
    const input = drafts.map((draft) => `${JSON.stringify(draft)}\n`).join("");
    const lines = this.run(["append", file, "--json"], input).trimEnd().split("\n");
    return lines.map((line) => (JSON.parse(line) as { id: string }).id);
  }

  rawContext(file: string): Context {
    return JSON.parse(this.run(["context", file, "--raw", "--json"])) as Context;
  }

  tree(file: string): Tree {
    return JSON.parse(this.run(["tree", file, "--json"])) as Tree;
  }

  /** Ids from the root to the leaf. */
  path(file: string): readonly string[] {
    const { leaf, nodes } = this.tree(file);
    const parents = new Map(nodes.map((entry) => [entry.id, entry.parentId]));
    const ids: string[] = [];
    for (let id = leaf; id !== null; id = parents.get(id) ?? null) ids.push(id);
    return ids.reverse();
  }

  fsck(file: string): { readonly ok: boolean; readonly problems: readonly unknown[] } {
    return JSON.parse(this.run(["fsck", file, "--json"]));
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true });
  }
}
