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

type Drawn = Members & { readonly type: string };

interface Around {
  readonly draw: Draw;
  readonly before: readonly Entry[];
  readonly target: string;
  readonly session: string;
}

const TIME = 1_767_607_205_231;

const block = (draw: Draw): Members => ({ type: "text", text: draw.text() });
const message = (members: Members): Drawn => ({ type: "message", message: members });
const own = (customType: string, data: Members): Drawn => ({ type: "custom", customType, data });
const idsOf = (before: readonly Entry[], type: string): readonly string[] =>
  before.filter((one) => one.type === type || Object(one).customType === type).map(({ id }) => id);

const SETTINGS: readonly ((around: Around) => Drawn)[] = [
  ({ draw }) => {
    const [provider, modelId] = [draw.pick(["p", "q"]), draw.pick(["m", "n"])];
    return { type: "model_change", provider, modelId };
  },
  ({ draw }) => ({ type: "thinking_level_change", thinkingLevel: draw.pick(["off", "high"]) }),
  ({ draw }) => ({ type: "active_tools_change", activeToolNames: draw.pick([[], ["read"]]) }),
  ({ draw }) => ({ type: "usage", kind: "title", provider: "p", model: "m", usage: usage(draw) }),
  ({ draw, target }) => ({
    type: "compaction",
    summary: draw.text(),
    firstKeptEntryId: target,
    tokensBefore: 5,
    ...(draw.below(2) === 0 ? { usage: usage(draw) } : {}),
    ...(draw.below(3) === 0 ? { systemMessage: { role: "system", content: "s" } } : {}),
  }),
  ({ draw, target }) => ({
    type: "branch_summary",
    fromId: target,
    summary: draw.text(),
    usage: usage(draw),
  }),
  ({ target }) => ({ type: "context_edit", targetId: target, replacement: null }),
];

const TABLES: readonly ((around: Around) => Drawn)[] = [
  ({ draw, target }) => {
    const label = draw.pick([{}, { label: "x" }, { label: draw.text() }]);
    return { type: "label", targetId: target, ...label };
  },
  ({ draw }) => ({ type: "session_info", name: draw.pick(["", " ", draw.text()]) }),
  ({ draw, before, target }) => {
    const isRoot = before.length === 0 || draw.below(5) === 0;
    return { type: "leaf", targetId: isRoot ? null : target };
  },
  ({ draw, target, session }) =>
    own("branchline.leaf", { session, start: draw.below(2) === 0, from: target }),
  ({ draw, before, session }) => {
    const branch = draw.pick(["main", ...idsOf(before, "branchline.leaf")]);
    const change = draw.pick([{ name: draw.text() }, { name: null }, { archived: true }]);
    return own("branchline.branch", { session, branch, ...change });
  },
  ({ draw, before, session }) => {
    const compaction = draw.pick(["none", ...idsOf(before, "compaction")]);
    return own("branchline.uncompact", { session, compaction, off: draw.below(2) === 0 });
  },
];

const MESSAGES: readonly ((around: Around) => Drawn)[] = [
  ({ draw }) => ({ type: "custom", customType: "ext", data: { list: [1, { a: draw.text() }] } }),
  ({ draw }) => {
    const content = draw.text();
    return { type: "custom_message", customType: "note", content, display: true };
  },
  ({ draw }) => ({ type: "unknown_kind", anything: draw.text() }),
  ({ draw }) => message({ role: "system", content: draw.text() }),
  ({ draw }) => message({ role: "user", content: draw.text(), usage: usage(draw) }),
  ({ draw }) => message({ role: "user", content: draw.text() }),
  ({ draw }) => message({ role: "user", content: [block(draw)], timestamp: TIME }),
  toolResult,
  toolResult,
  ({ draw }) => message({ role: "assistant", provider: "p", model: "m", content: [block(draw)] }),
  answer,
  answer,
  answer,
];

function toolResult({ draw }: Around): Drawn {
  const details = draw.pick([
    {},
    { details: { diff: draw.text() } },
    { details: [], usage: usage(draw) },
  ]);
  return message({
    role: "toolResult",
    toolCallId: "t1",
    toolName: draw.pick(["bash", "read"]),
    content: [block(draw)],
    ...details,
    isError: false,
    timestamp: TIME,
  });
}

function answer({ draw }: Around): Drawn {
  return message({
    role: "assistant",
    content: draw.pick([[block(draw)], []]),
    api: "a",
    provider: "p",
    model: draw.pick(["m", "n"]),
    usage: usage(draw),
    stopReason: "stop",
    timestamp: TIME,
  });
}

function drawMembers(draw: Draw, before: readonly Entry[], session: string): Drawn {
  const target = before.length === 0 ? "none" : draw.pick(before).id;
  const here = draw.below(9) === 0 ? "another" : session;
  const group = draw.pick([SETTINGS, TABLES, MESSAGES, MESSAGES]);
  return draw.pick(group)({ draw, before, target, session: here });
}
