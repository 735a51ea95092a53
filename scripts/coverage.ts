/**
 * Exact line and branch coverage over many processes, from what V8 writes into `NODE_V8_COVERAGE`.
 *
 * Node's own report is not used: when several processes ran the same file, Node 24.21 merges their
 * ranges by containment, and unexecuted ranges that overlap only in part fall out. It then calls a
 * line covered that no process ever ran (shown in test/scripts/coverage.test.ts). Here each process
 * paints the characters that it ran, and what no process painted is a miss: V8 counts blocks, so the
 * arm of an `if`, `?:`, `??`, `&&`, a `case` or a `catch` that never ran is one.
 *
 * V8's false misses: after a `return`, `throw` or endless loop it opens a range that reaches to the
 * end of the block, thus an unexecuted `}` remains. Ranges without a word in them are not reported.
 * V8 has no counter for `?.` and for default values: those branches are not measured.
 */
import { globSync, readdirSync, readFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import path from "node:path";
import { pathToFileURL } from "node:url";

/** A place that no process ran. */
export interface Miss {
  readonly file: string;
  /** From 1. */
  readonly line: number;
  /** From 1. */
  readonly column: number;
  readonly endLine: number;
  /** How the place begins. */
  readonly excerpt: string;
}

/** The coverage of some folders. */
export interface CoverageReport {
  readonly files: number;
  /** Lines that hold code. */
  readonly lines: number;
  readonly coveredLines: number;
  readonly misses: readonly Miss[];
  /** Processes that were killed while they wrote their coverage; what they ran is not counted. */
  readonly torn: number;
  /** Lines that a comment takes out of the count, each with its reason: `file:line reason`. */
  readonly ignored: readonly string[];
}

interface Range {
  readonly startOffset: number;
  readonly endOffset: number;
  readonly count: number;
}

interface ScriptCoverage {
  readonly url: string;
  readonly functions: readonly { readonly ranges: readonly Range[] }[];
}

/** A comment `node:coverage ignore next 2: why` leaves out that many lines (1 without a number); it needs a reason. */
const IGNORE = /node:coverage ignore next(?: (\d+))?:? *(.*?)\s*(?:\*\/)?\s*$/;

interface RawCoverage {
  readonly scripts: Map<string, ScriptCoverage[]>;
  /** Files that a killed process left half written: what it ran is not counted. */
  readonly torn: number;
}

/** What one process wrote; undefined if it was killed while it wrote. */
function readProcess(file: string): readonly ScriptCoverage[] | undefined {
  try {
    return (JSON.parse(readFileSync(file, "utf8")) as { result: ScriptCoverage[] }).result;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function readScripts(directory: string, wanted: ReadonlySet<string>): RawCoverage {
  const scripts = new Map<string, ScriptCoverage[]>();
  let torn = 0;
  for (const name of readdirSync(directory)) {
    if (!name.endsWith(".json")) continue;
    const result = readProcess(path.join(directory, name));
    if (result === undefined) torn++;
    for (const script of result ?? []) {
      if (!wanted.has(script.url)) continue;
      const known = scripts.get(script.url);
      if (known === undefined) scripts.set(script.url, [script]);
      else known.push(script);
    }
  }
  return { scripts, torn };
}

/** One byte a character: 1 where some process ran it. */
function paint(length: number, scripts: readonly ScriptCoverage[]): Uint8Array {
  const ran = new Uint8Array(length);
  for (const script of scripts) {
    const one = new Uint8Array(length);
    const ranges = script.functions
      .flatMap((fn) => fn.ranges)
      .toSorted((a, b) => a.startOffset - b.startOffset || b.endOffset - a.endOffset);
    for (const { startOffset, endOffset, count } of ranges) {
      one.fill(count > 0 ? 1 : 0, startOffset, endOffset);
    }
    for (let at = 0; at < length; at++) ran[at] = (ran[at] ?? 0) | (one[at] ?? 0);
  }
  return ran;
}

const withoutComments = (code: string): string =>
  code.replace(/\/\*[\s\S]*?\*\/|\/\/[^\n]*/g, (comment) => comment.replace(/[^\n]/g, " "));

function ignoredLines(lines: readonly string[]): Map<number, string> {
  const ignored = new Map<number, string>();
  for (const [index, line] of lines.entries()) {
    const match = IGNORE.exec(line);
    // Without a reason the comment has no effect.
    if (match === null || !match[2]) continue;
    for (let n = 1; n <= Number(match[1] ?? 1); n++) ignored.set(index + 1 + n, match[2]);
  }
  return ignored;
}

interface FileReport {
  readonly lines: number;
  readonly coveredLines: number;
  readonly misses: readonly Miss[];
  readonly ignored: readonly string[];
}

/**
 * Measures one file.
 * @param file its name in the report
 * @param code the JavaScript that V8 saw
 * @param scripts what each process reported about it; none = never loaded
 */
export function coverageOf(
  file: string,
  code: string,
  scripts: readonly ScriptCoverage[],
): FileReport {
  const bare = withoutComments(code);
  const ran = paint(code.length, scripts);
  const ignored = ignoredLines(code.split("\n"));
  const missedLines = new Set<number>();
  const misses: Miss[] = [];
  let offset = 0;
  let open: { line: number; column: number; text: string } | undefined;
  const close = (endLine: number): void => {
    if (open !== undefined && /[\w$"'`]/.test(open.text)) {
      const excerpt = open.text.trim().split("\n")[0]?.slice(0, 80) ?? "";
      misses.push({ file, line: open.line, column: open.column, endLine, excerpt });
      for (let line = open.line; line <= endLine; line++) missedLines.add(line);
    }
    open = undefined;
  };
  const lines = bare.split("\n");
  for (const [index, text] of lines.entries()) {
    for (let column = 0; column < text.length; column++) {
      if (ran[offset + column] === 1 || ignored.has(index + 1)) close(index + 1);
      else if (open !== undefined) open.text += text[column];
      else if (text[column]?.trim() !== "") {
        open = {
          line: index + 1,
          column: column + 1,
          text: text[column] ?? "",
        };
      }
    }
    if (open !== undefined) open.text += "\n";
    offset += text.length + 1;
  }
  close(lines.length);
  const withCode = lines.flatMap((text, index) => (/[\w$]/.test(text) ? [index + 1] : []));
  return {
    lines: withCode.length,
    coveredLines: withCode.filter((line) => !missedLines.has(line)).length,
    misses,
    ignored: [...ignored].map(([line, reason]) => `${file}:${line} ${reason}`),
  };
}

/** Stripping keeps lines and columns, so a place is the same in the source as written. */
function withSourceExcerpts(misses: readonly Miss[], lines: readonly string[]): Miss[] {
  return misses.map((miss) => ({
    ...miss,
    excerpt: (lines[miss.line - 1] ?? "").slice(miss.column - 1, miss.column + 79),
  }));
}

/**
 * Reads the coverage of the product files (no tests, no `testing/` folders) below some folders.
 * @param root absolute path of the project
 * @param directory where the processes wrote their coverage (`NODE_V8_COVERAGE`)
 * @param folders paths from the root
 */
export function readCoverage(
  root: string,
  directory: string,
  folders: readonly string[],
): CoverageReport {
  const files = folders
    .flatMap((folder) => globSync(`${folder}/**/*.ts`, { cwd: root }))
    .map((file) => file.split(path.sep).join("/"))
    .filter((file) => !file.endsWith(".test.ts") && !file.includes("/testing/"))
    .toSorted();
  const urls = new Map(files.map((file) => [file, pathToFileURL(path.join(root, file)).href]));
  const { scripts, torn } = readScripts(directory, new Set(urls.values()));
  const reports = files.map((file) => {
    const source = readFileSync(path.join(root, file), "utf8");
    // The stripped text is what V8 counted in; a file of types only becomes empty.
    const code = stripTypeScriptTypes(source);
    const report = coverageOf(file, code, scripts.get(urls.get(file) ?? "") ?? []);
    return { ...report, misses: withSourceExcerpts(report.misses, source.split("\n")) };
  });
  const sum = (count: (report: FileReport) => number): number =>
    reports.reduce((total, report) => total + count(report), 0);
  return {
    files: files.length,
    torn,
    lines: sum((report) => report.lines),
    coveredLines: sum((report) => report.coveredLines),
    misses: reports.flatMap((report) => report.misses),
    ignored: reports.flatMap((report) => report.ignored),
  };
}
