/**
 * Sample 2, English: a bug hunt with three branches. Columns of our command line are out of line where a
 * name is Chinese. Three repairs are tried from one point; the tests that run are real, so are their
 * failures. What the third branch found out is merged back.
 */
import { branchConclusion, mergeBranch } from "../../src/session/merge.ts";
import { type Line, Recorder, type Recording } from "./recorder.ts";
import { createTestTool } from "./test-tool.ts";

const FIT = `
/** The text, filled with blanks to a number of columns. */
export function fit(text, columns) {
  return text + " ".repeat(Math.max(0, columns - displayWidth(text)));
}
`;

const DOUBLED = `/** Columns that a text takes in a terminal. */
export function displayWidth(text) {
  return /\\p{Script=Han}/u.test(text) ? text.length * 2 : text.length;
}
${FIT}`;

const BY_CODE_POINT = `/** Columns that a text takes in a terminal. */
export function displayWidth(text) {
  let width = 0;
  for (const sign of text) width += sign.codePointAt(0) >= 0x1100 ? 2 : 1;
  return width;
}
${FIT}`;

const BY_GRAPHEME = `const signs = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** Columns that a text takes in a terminal: what people see as one sign takes one column, or two. */
export function displayWidth(text) {
  let width = 0;
  for (const { segment } of signs.segment(text)) {
    const isWide = segment.codePointAt(0) >= 0x1100 || /\\p{Emoji_Presentation}/u.test(segment);
    width += isWide ? 2 : 1;
  }
  return width;
}
${FIT}`;

/** A repair that is tried on a branch of its own. */
interface Attempt {
  readonly branch: string;
  readonly lines: readonly Line[];
  readonly label: string;
}

const WRITE = "write_note";
const TESTS = "run_tests";

const TRUNK: readonly Line[] = [
  [
    "Bug report: in the session table the columns are out of line as soon as a title is Chinese. Expected: the age column stands below itself. List width/ and tell me what is there.",
    "list_files",
  ],
  ["Run the tests, then read width/column-width.mjs", TESTS, "read_file"],
  ["Read width/column-width.test.mjs: what do they expect exactly?", "read_file"],
  [
    "So displayWidth counts UTF-16 units. I see three ways to repair it; each gets a branch of its own from here, so that no attempt stands in the context of the next one. Write a note to notes/bug.md: A terminal counts columns: Chinese takes two, a combining accent none, an emoji two. displayWidth counts UTF-16 units: 2 of 6 tests pass.",
    WRITE,
  ],
];

const ATTEMPTS: readonly Attempt[] = [
  {
    branch: "double-everything",
    label: "2 of 6: mixed text is too wide",
    lines: [
      [`The quickest way first. Write width/column-width.mjs: ${DOUBLED}`, WRITE],
      ["Run the tests", TESTS],
      [
        "As feared, not this way. Write a note to notes/attempt-1.md: Doubling the length of every text with Chinese in it doubles the Latin letters beside it as well. 2 of 6.",
        WRITE,
      ],
    ],
  },
  {
    branch: "by-code-point",
    label: "4 of 6: accents and joined emoji",
    lines: [
      [
        `Go through it code point by code point. Write width/column-width.mjs: ${BY_CODE_POINT}`,
        WRITE,
      ],
      ["Run the tests", TESTS],
      [
        "Better, but not enough. Write a note to notes/attempt-2.md: By code point, mixed text is right. A combining accent still takes a column, and the parts of a joined emoji are counted one by one: people do not see code points. 4 of 6.",
        WRITE,
      ],
    ],
  },
  {
    branch: "by-grapheme",
    label: "6 of 6",
    lines: [
      [`Count what people see as one sign. Write width/column-width.mjs: ${BY_GRAPHEME}`, WRITE],
      ["Run the tests", TESTS],
      [
        "Write a note to notes/width.md: Count graphemes (Intl.Segmenter), not UTF-16 units and not code points. Two columns from U+1100 on and for emoji, one for all others. All six tests pass. Doubling whole texts and counting code points were tried; both fail.",
        WRITE,
      ],
    ],
  },
];

/** Records the sample; gives its file. */
export async function recordBugHunt(recording: Recording): Promise<string> {
  await using recorder = await Recorder.open(recording, {
    tools: (folder) => [createTestTool(folder)],
  });
  const { session, harness } = recorder;
  await session.rename("Bug hunt: Chinese titles push the columns out of line");
  for (const line of TRUNK) await recorder.say(...line);
  const fork = recorder.here;
  await recorder.label("three ways from here");
  let found = fork;
  for (const { branch, lines, label } of ATTEMPTS) {
    recorder.pause(20);
    await session.createBranch(branch, fork);
    await harness.moveToBranch(branch);
    for (const line of lines) await recorder.say(...line);
    await recorder.label(label);
    found = recorder.here;
  }
  recorder.pause(40);
  await harness.moveToBranch("main");
  await mergeBranch(session, await branchConclusion(session, found));
  await recorder.label("merged from by-grapheme");
  await recorder.say(
    "Run the tests once more here, then read width/column-width.mjs",
    TESTS,
    "read_file",
  );
  await recorder.say("Read notes/width.md, this goes into the change log.", "read_file");
  return recorder.file;
}
