/** Lines and characters of each section of an offline summary. */
const MOST_LINES = 6;
const LONGEST_LINE = 200;
/** A summary has at most this share of the characters of its transcript, so that it always shrinks. */
const SHARE = 0.25;
const LONGEST = 4000;
/** Characters that any summary may have. */
const SHORTEST = 300;

interface Said {
  readonly role: string;
  readonly text: string;
}

const inTag = (text: string, tag: string): string =>
  new RegExp(`<${tag}>\\n([\\s\\S]*?)\\n</${tag}>`).exec(text)?.[1] ?? "";

/** The parts of a transcript: a label in brackets on a line of its own, and what follows. */
function partsOf(transcript: string): readonly Said[] {
  return transcript.split(/\n\n(?=\[)/).map((part) => {
    const [, role = "note", text = part] = /^\[([^\]\n]*)\][ ]?\n?([\s\S]*)$/.exec(part) ?? [];
    return { role, text: text.trim() };
  });
}

/** The first line, cut. */
function briefly(text: string): string {
  const line = text.split("\n").find((one) => one.trim() !== "") ?? "";
  return line.length > LONGEST_LINE ? `${line.slice(0, LONGEST_LINE)}…` : line;
}

function bullets(texts: readonly string[]): readonly string[] {
  const unique = [...new Set(texts.map(briefly))].filter((text) => text !== "");
  return unique.slice(-MOST_LINES).map((text) => `- ${text}`);
}

function said(parts: readonly Said[], role: RegExp): readonly string[] {
  return parts.filter((part) => role.test(part.role)).map(({ text }) => text);
}

/** Lines that an older summary has under a heading. */
function keptLines(memory: string, heading: string): readonly string[] {
  const lines = memory.split("\n");
  const from = lines.indexOf(heading);
  if (from < 0) return [];
  const to = lines.findIndex((line, at) => at > from && line.startsWith("#"));
  const kept = lines.slice(from + 1, to < 0 ? undefined : to);
  return kept.filter((line) => line.startsWith("- "));
}

const EXACT =
  /https?:\/\/\S+|(?:[\w.-]+\/)+[\w.-]+|\b[\w-]+\.[a-z]{1,5}\b|\b[A-Z]{2,}[A-Z0-9_]+\b|\b\d[\d.,]*\d\b/g;

/** Exact names and numbers that the transcript says most often. */
function exactNames(transcript: string): readonly string[] {
  const counts = new Map<string, number>();
  for (const [name] of transcript.matchAll(EXACT)) counts.set(name, (counts.get(name) ?? 0) + 1);
  const names = [...counts].sort((a, b) => b[1] - a[1]).slice(0, 30);
  return names.length === 0 ? [] : [`- ${names.map(([name]) => name).join(", ")}`];
}

/** True for a request that wants a summary of a transcript (that of our compaction, or one like it). */
export function isSummaryRequest(text: string): boolean {
  return inTag(text, "transcript") !== "";
}

/**
 * A summary made of what stands in the transcript: what was asked, what was done, what was said last, and
 * exact names, under the headings that are asked for. It adds nothing and understands nothing.
 */
export function offlineSummary(request: string, mark: string): string {
  const transcript = inTag(request, "transcript");
  const memory = inTag(request, "memory");
  const parts = partsOf(transcript);
  const asked = said(parts, /^user$/);
  const answers = said(parts, /^assistant$/);
  const results = parts.filter(({ role }) => role.startsWith("result"));
  const sections: readonly (readonly [string, readonly string[]])[] = [
    ["## Goal", bullets([asked[0] ?? "", asked.at(-1) ?? ""])],
    ["## Constraints & Preferences", bullets(asked.filter((text) => RULE.test(text)))],
    ["## Progress", []],
    ["### Done", bullets(results.map(({ role, text }) => `${role}: ${briefly(text)}`))],
    ["### In Progress", bullets(answers.slice(-1))],
    ["## Key Decisions", bullets([...asked, ...answers].filter((text) => DECISION.test(text)))],
    ["## Next Steps", bullets(asked.slice(-1))],
    ["## Critical Context", exactNames(transcript)],
  ];
  const isPlain = request.includes("no headings");
  const lines = sections.flatMap(([heading, body]) => {
    const merged = [...new Set([...keptLines(memory, heading), ...body])];
    return isPlain ? merged : [heading, ...merged];
  });
  const share = Math.floor(transcript.length * SHARE) + memory.length;
  const most = Math.min(LONGEST, Math.max(SHORTEST, share));
  const text = [mark, ...lines].join("\n");
  return text.length > most ? `${text.slice(0, most)}…` : text;
}

const RULE = /\b(always|never|must|do not|don't|prefer)\b|必须|不要|始终|一律|请用|偏好/iu;
const DECISION = /\b(decided?|decision|we (will )?use|chose|agreed)\b|决定|采用|选择|确定/iu;
