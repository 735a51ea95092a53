import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import type { Entry } from "../../src/entry/entry.ts";
import { SessionDecoder } from "../../src/entry/session-decoder.ts";
import type { PathStep } from "../../src/projection/cut.ts";
import { SessionTree } from "../../src/tree/session-tree.ts";
import type { TreeEntry } from "../../src/tree/tree-entry.ts";

/** What Pi answers at one leaf. */
export interface Query {
  readonly leafId: string | null;
  readonly context: readonly string[];
  readonly messages: readonly unknown[];
  readonly model: unknown;
  readonly thinkingLevel: string;
}

/** A session file and Pi's answers. */
export interface Vector {
  readonly name: string;
  readonly lines: readonly string[];
  readonly queries: readonly Query[];
}

const root = path.join(import.meta.dirname, "../..");
const golden = path.join(root, "test/golden/vectors");
const vectors = existsSync(golden) ? golden : path.join(root, "../shared/vectors");
function readJson(file: string): unknown {
  return JSON.parse(readFileSync(file, "utf8"));
}

function sampleVector(): Vector {
  const lines = readFileSync(path.join(vectors, "format-sample.jsonl"), "utf8").trimEnd();
  const expected = readJson(path.join(vectors, "format-sample.expected.json"));
  return {
    name: "format sample",
    lines: lines.split("\n"),
    ...(expected as Pick<Vector, "queries">),
  };
}

function seedVectors(): Vector[] {
  const folder = path.join(vectors, "pi-1.6.0");
  const names = readdirSync(folder).filter((name) => name.endsWith(".json"));
  return names.sort().map((name) => readJson(path.join(folder, name)) as Vector);
}

/** All golden vectors: the seeds of Pi 1.6.0 and the sample of the format. */
export function goldenVectors(): readonly Vector[] {
  return [...seedVectors(), sampleVector()];
}

/** The tree of a session file and its entries by id. */
export class Loaded {
  readonly tree: SessionTree;
  readonly #entries = new Map<string, Entry>();

  constructor(lines: readonly string[]) {
    const decoder = new SessionDecoder();
    let byteStart = 0;
    const decoded = lines.flatMap((line, index) => {
      const bytes = new TextEncoder().encode(line);
      const byteEnd = byteStart + bytes.length;
      const at = { line: index + 1, byteStart, byteEnd, bytes, terminated: true };
      byteStart = byteEnd + 1;
      return decoder.push(at);
    });
    assert.ok(decoder.header);
    this.tree = new SessionTree(decoder.header.id);
    for (const item of [...decoded, ...decoder.finish(null).entries]) {
      if (item.kind === "lost") this.tree.addLost(item);
      else if (this.tree.add(item.entry)) this.#entries.set(item.entry.id, item.entry);
    }
  }

  get(id: string): Entry | undefined {
    return this.#entries.get(id);
  }

  at(query: string | null): string | null {
    return query === "(last)" ? this.tree.leaf() : query;
  }

  rawPath(query: string | null): readonly Entry[] {
    return this.tree.rawPath(this.at(query)).map(({ id }) => this.#entries.get(id)!);
  }

  steps(query: string | null): readonly PathStep[] {
    const step = ({ id, gap }: TreeEntry) => ({ entry: this.#entries.get(id)!, gap });
    return this.tree.path(this.at(query)).map(step);
  }
}
