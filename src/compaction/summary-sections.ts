/** The sections of a summary, in their order (harness.md §6). */
export const SECTION_NAMES = [
  "Goal",
  "Constraints & Preferences",
  "Done",
  "In Progress",
  "Blocked",
  "Key Decisions",
  "Next Steps",
  "Critical Context",
  "Current Turn",
] as const;

/** One of {@link SECTION_NAMES}. */
export type SectionName = (typeof SECTION_NAMES)[number];

/** A line of a summary. */
export interface SummaryLine {
  readonly section: SectionName;
  readonly text: string;
}

/** Sections that stand below "Progress". */
const PROGRESS: ReadonlySet<SectionName> = new Set(["Done", "In Progress", "Blocked"]);
const HEADING = /^#{2,4}\s+(.+)$/;
const BULLET = /^\s*[-*•]\s+/;

function isSection(name: string): name is SectionName {
  return SECTION_NAMES.some((known) => known === name);
}

/**
 * The lines of a summary by section, ours or a model's; what stands under no known heading counts as
 * critical context. Lines that are no content (rules, remarks in italics) are left out.
 */
export function readSummary(summary: string): readonly SummaryLine[] {
  const lines: SummaryLine[] = [];
  let section: SectionName = "Critical Context";
  for (const line of summary.split("\n")) {
    const heading = HEADING.exec(line.trimEnd())?.[1];
    if (heading !== undefined) {
      if (isSection(heading)) section = heading;
      else if (heading !== "Progress") section = "Critical Context";
      continue;
    }
    const text = line.replace(BULLET, "").trim();
    const isRemark = /^_.*_$/.test(text) || /^[-—=]*$/.test(text);
    if (!isRemark) lines.push({ section, text });
  }
  return lines;
}

/** A summary from its lines: sections without lines are left out, the remark stands first. */
export function writeSummary(lines: readonly SummaryLine[], remark: string): string {
  const parts = [remark];
  let isProgressOpen = false;
  for (const name of SECTION_NAMES) {
    const own = lines.filter(({ section }) => section === name);
    if (own.length === 0) continue;
    if (PROGRESS.has(name) && !isProgressOpen) {
      parts.push("## Progress");
      isProgressOpen = true;
    }
    const heading = PROGRESS.has(name) ? `### ${name}` : `## ${name}`;
    parts.push([heading, ...own.map(({ text }) => `- ${text}`)].join("\n"));
  }
  return parts.join("\n\n");
}
