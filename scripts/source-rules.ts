/**
 * House rules that the linter has no rule for, checked line by line: file size, bare errors, folder
 * and file names, documented exports, and nothing of the machine in committed text.
 *
 * Run alone: `node scripts/source-rules.ts`.
 */
import { globSync, readFileSync } from "node:fs";
import path from "node:path";

const MAX_LINES = 500;
const VAGUE_NAMES = new Set(["utils", "helpers", "common", "misc", "lib", "types"]);
const TEXT_FILES = /\.(?:ts|js|json|md|yml|yaml|sh|txt|css|html)$|(?:^|\/)\.(?:ci\/run|npmrc)$/;
const SKIPPED = /(?:^|\/)(?:node_modules|dist|coverage|reports|\.git)(?:\/|$)/;
/** Data that other programs recorded: kept byte for byte. */
const RECORDED = /^(?:test\/golden|examples\/(?:sessions|samples))\//;
const EXPORT =
  /^export (?:declare |abstract |async )*(?:function\*?|class|interface|type|const|let) (\w+)/;

/** Written in pieces, so that this file passes its own check. */
const MACHINE_WORDS: readonly { readonly pattern: RegExp; readonly what: string }[] = [
  {
    pattern: new RegExp("(?<![\\w.])/(?:work|root)/\\w|/tmp/" + "team"),
    what: "a path of one machine",
  },
  {
    pattern: new RegExp("https?://[^\\s\"'`)]*(?:regis" + "try|art" + "ifactory|ver" + "daccio)"),
    what: "a package host",
  },
  { pattern: new RegExp('"res' + 'olved": "http'), what: "a download address in a lock file" },
];

interface Source {
  readonly file: string;
  readonly lines: readonly string[];
}

function sizeProblems({ file, lines }: Source): string[] {
  const exempt = /\.test\.ts$|\/testing\/|\.generated\.ts$|-cases\.ts$/.test(file);
  const count = lines.at(-1) === "" ? lines.length - 1 : lines.length;
  if (exempt || count <= MAX_LINES) return [];
  return [`${file}: ${count} lines, at most ${MAX_LINES}`];
}

function nameProblems({ file }: Source): string[] {
  const names = file.split("/").map((part) => part.replace(/(?:\.test)?\.ts$/, ""));
  const vague = names.find((name) => VAGUE_NAMES.has(name));
  return vague === undefined
    ? []
    : [`${file}: "${vague}" says nothing; name it after what it holds`];
}

function errorProblems({ file, lines }: Source): string[] {
  // What a test double throws plays somebody else's failure.
  if (file.includes("/testing/")) return [];
  return lines.flatMap((line, index) =>
    /\bnew (?:Type|Range|Syntax)?Error\(/.test(line) && !/^\s*(?:\*|\/\/)/.test(line)
      ? [`${file}:${index + 1}: a bare error; use BranchlineError with a code`]
      : [],
  );
}

function documentationProblems({ file, lines }: Source): string[] {
  const problems: string[] = [];
  const seen = new Set<string>();
  for (const [index, line] of lines.entries()) {
    const name = EXPORT.exec(line)?.[1];
    // Further overloads of a documented function need no comment of their own.
    if (name === undefined || seen.has(name)) continue;
    seen.add(name);
    // A note to the linter may stand between the two.
    const above = lines.slice(0, index).findLast((text) => !text.startsWith("// biome-ignore"));
    if (!above?.trimEnd().endsWith("*/")) {
      problems.push(`${file}:${index + 1}: the export ${name} has no doc comment above it`);
    }
  }
  return problems;
}

function machineProblems({ file, lines }: Source): string[] {
  return lines.flatMap((line, index) =>
    MACHINE_WORDS.filter(({ pattern }) => pattern.test(line)).map(
      ({ what }) => `${file}:${index + 1}: ${what}`,
    ),
  );
}

/** The problems of one file. @param file path from the root, with `/` @param text its content */
export function checkFile(file: string, text: string): readonly string[] {
  const source: Source = { file, lines: text.split("\n") };
  const isProduct = file.startsWith("src/") && !/\.test\.ts$/.test(file);
  return [
    ...machineProblems(source),
    ...(file.startsWith("src/") ? [...sizeProblems(source), ...nameProblems(source)] : []),
    ...(isProduct ? [...errorProblems(source), ...documentationProblems(source)] : []),
  ];
}

/** Checks every text file of the project. @param root absolute path of the project */
export function checkSources(root: string): {
  readonly files: number;
  readonly problems: readonly string[];
} {
  const files = [
    ...globSync("**/*", { cwd: root, exclude: (name) => SKIPPED.test(name) }),
    ".ci/run",
    ".npmrc",
  ]
    .map((file) => file.split(path.sep).join("/"))
    .filter((file) => TEXT_FILES.test(file) && !SKIPPED.test(file) && !RECORDED.test(file));
  const problems = files.flatMap((file) =>
    checkFile(file, readFileSync(path.join(root, file), "utf8")),
  );
  return { files: files.length, problems };
}

if (import.meta.main) {
  const { files, problems } = checkSources(path.resolve(import.meta.dirname, ".."));
  for (const problem of problems) console.log(problem);
  console.log(`${files} files`);
  process.exitCode = problems.length > 0 ? 1 : 0;
}
