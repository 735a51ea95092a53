import type { Entry } from "../../src/entry/entry.ts";
import { encodeEntry, encodeHeader } from "../../src/entry/line-encode.ts";
import { seededRandom } from "../../src/io/testing/seeded-random.ts";

/** A drawn session: its lines, header first, each with its newline. */
export interface RandomSession {
  readonly id: string;
  readonly lines: readonly string[];
}

type Members = Readonly<Record<string, unknown>>;

const WORDS = ["alpha", "beta", 'quoted "text"', "\\path\\", "会话", "😀", '],"api":"', "tab\t"];

class Draw {
  readonly #random: ReturnType<typeof seededRandom>;

  constructor(seed: number) {
    this.#random = seededRandom(seed);
  }

  below(limit: number): number {
    const [a, b, c] = this.#random.bytes(3) as unknown as [number, number, number];
    return (a * 65536 + b * 256 + c) % limit;
  }

  pick<T>(values: readonly T[]): T {
    return values[this.below(values.length)] as T;
  }

  text(): string {
    return Array.from({ length: this.below(12) }, () => this.pick(WORDS)).join(" ");
  }
}

/** One session of up to `size` entries of all types, on several branches, written by us and by Pi. */
export function randomSession(seed: number, size: number): RandomSession {
  const draw = new Draw(seed);
  const id = `random-${seed}`;
  const header = {
    type: "session",
    version: 3,
    id,
    timestamp: time(0),
    cwd: `/w/${seed % 3}`,
  } as const;
  const isOurs = seed % 2 === 0;
  const lines = [isOurs ? text(encodeHeader(header)) : `${JSON.stringify(header)}\n`];
  const entries: Entry[] = [];
  const count = 1 + draw.below(size);
  while (entries.length < count) {
    const group = draw.below(6) === 0 ? 1 + draw.below(3) : 1;
    const commit = `c${entries.length}`;
    for (let i = 1; i <= group; i++) {
      const entry = drawEntry(draw, entries, id);
      entries.push(entry);
      const stamp = group > 1 ? { commit: { id: commit, i, n: group } } : {};
      const key = draw.below(4) === 0 ? { key: `k${entries.length}` } : {};
      lines.push(
        isOurs ? text(encodeEntry(entry, { ...key, ...stamp })) : `${JSON.stringify(entry)}\n`,
      );
    }
  }
  return { id, lines };
}

function text(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

function time(step: number): string {
  return new Date(Date.UTC(2026, 0, 1) + step * 7_200_000).toISOString();
}

function drawEntry(draw: Draw, before: readonly Entry[], session: string): Entry {
  const last = before.at(-1)?.id ?? null;
  const turns = draw.below(8) === 0;
  const parentId = turns && before.length > 0 ? (draw.pick([null, ...before])?.id ?? null) : last;
  const id = `e${before.length}-${draw.below(1 << 20).toString(16)}`;
  const base = { id, parentId, timestamp: draw.below(30) === 0 ? "" : time(before.length) };
  const { type, ...members } = drawMembers(draw, before, session);
  return { type, ...base, ...members } as Entry;
}

function usage(draw: Draw): Members {
  const [input, output, cacheRead, cacheWrite] = [0, 0, 0, 0].map(() => draw.below(5000));
  const cost = draw.below(3) === 0 ? {} : { cost: { total: draw.below(1000) / 7 } };
  return { input, output, cacheRead, cacheWrite, totalTokens: 1, ...cost };
}

function drawMembers(
  draw: Draw,
  before: readonly Entry[],
  session: string,
): Members & { type: string } {
  const target = before.length === 0 ? "none" : draw.pick(before).id;
  const timestamp = 1_767_607_205_231;
  const block = { type: "text", text: draw.text() };
  const own = (customType: string, data: Members) => ({ type: "custom", customType, data });
  const here = draw.below(9) === 0 ? "another" : session;
  switch (draw.below(26)) {
    case 0:
      return {
        type: "model_change",
        provider: draw.pick(["p", "q"]),
        modelId: draw.pick(["m", "n"]),
      };
    case 1:
      return { type: "thinking_level_change", thinkingLevel: draw.pick(["off", "high"]) };
    case 2:
      return { type: "active_tools_change", activeToolNames: draw.pick([[], ["read", "bash"]]) };
    case 3:
      return { type: "usage", kind: "title", provider: "p", model: "m", usage: usage(draw) };
    case 4:
      return {
        type: "compaction",
        summary: draw.text(),
        firstKeptEntryId: target,
        tokensBefore: 5,
        ...(draw.below(2) === 0 ? { usage: usage(draw) } : {}),
        ...(draw.below(3) === 0 ? { systemMessage: { role: "system", content: "s" } } : {}),
      };
    case 5:
      return { type: "branch_summary", fromId: target, summary: draw.text(), usage: usage(draw) };
    case 6:
      return { type: "context_edit", targetId: target, replacement: null };
    case 7:
      return { type: "custom", customType: "ext", data: { list: [1, { a: draw.text() }] } };
    case 8:
      return { type: "custom_message", customType: "note", content: draw.text(), display: true };
    case 9:
    case 10:
      return {
        type: "label",
        targetId: target,
        ...draw.pick([{}, { label: "x" }, { label: draw.text() }]),
      };
    case 11:
      return { type: "session_info", name: draw.pick(["", " ", draw.text()]) };
    case 12:
      return { type: "leaf", targetId: before.length === 0 || draw.below(5) === 0 ? null : target };
    case 13:
    case 14:
      return own("branchline.leaf", { session: here, start: draw.below(2) === 0, from: target });
    case 15: {
      const starts = before.filter((one) => one.customType === "branchline.leaf");
      const branch = starts.length === 0 ? "main" : draw.pick(starts).id;
      return own("branchline.branch", {
        session: here,
        branch,
        ...draw.pick([{ name: draw.text() }, { name: null }, { archived: true }]),
      });
    }
    case 16: {
      const found = before.filter((one) => one.type === "compaction");
      const compaction = found.length === 0 ? "none" : draw.pick(found).id;
      return own("branchline.uncompact", { session: here, compaction, off: draw.below(2) === 0 });
    }
    case 17:
      return { type: "unknown_kind", anything: draw.text() };
    case 18:
      return { type: "message", message: { role: "system", content: draw.text() } };
    case 19:
      return {
        type: "message",
        message: { role: "user", content: draw.text(), usage: usage(draw) },
      };
    case 20:
      return { type: "message", message: { role: "user", content: draw.text() } };
    case 21:
      return { type: "message", message: { role: "user", content: [block], timestamp } };
    case 22:
    case 23: {
      const details = draw.pick([
        {},
        { details: { diff: draw.text() } },
        { details: [], usage: usage(draw) },
      ]);
      const message = {
        role: "toolResult",
        toolCallId: "t1",
        toolName: draw.pick(["bash", "read"]),
        content: [block],
        ...details,
        isError: false,
        timestamp,
      };
      return { type: "message", message };
    }
    case 24:
      return {
        type: "message",
        message: { role: "assistant", provider: "p", model: "m", content: [block] },
      };
    default: {
      const message = {
        role: "assistant",
        content: draw.pick([[block], []]),
        api: "a",
        provider: "p",
        model: draw.pick(["m", "n"]),
        usage: usage(draw),
        stopReason: "stop",
        timestamp,
      };
      return { type: "message", message };
    }
  }
}
