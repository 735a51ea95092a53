/** What is mutated together, and the tests that have to notice it. */
export interface MutationGroup {
  readonly name: string;
  /** Files from the root. */
  readonly sources: readonly string[];
  /** Test files from the root, those that notice most first. */
  readonly tests: readonly string[];
}

/** Tests that measure time: a mutant must not count as noticed because the machine was busy. */
export const LEFT_OUT: readonly string[] = [
  "linear time",
  "takes linear time",
  "kill -9 while holding the lock",
  "four busy processes",
];

const entry = (name: string): string => `src/entry/${name}.ts`;
const io = (name: string): string => `src/io/${name}.ts`;
const jsonl = (name: string): string => `src/store/jsonl/${name}.ts`;

export const GROUPS: readonly MutationGroup[] = [
  { name: "codec", sources: [entry("crc32")], tests: [entry("crc32.test")] },
  {
    name: "codec",
    sources: [entry("line-encode")],
    tests: ["line-encode.test", "line-decode.test"].map(entry),
  },
  { name: "codec", sources: [entry("line-head")], tests: [entry("line-head.test")] },
  {
    name: "codec",
    sources: ["line-decode", "line-split"].map(entry),
    tests: ["line-decode.test", "line-split.test", "line-encode.test"].map(entry),
  },
  {
    name: "codec",
    sources: [entry("session-decoder")],
    tests: ["session-decoder.test", "session-decoder-v1.test"].map(entry),
  },
  {
    name: "lock",
    sources: ["sqlite-lock", "lock-slice"].map(io),
    tests: ["lock-slice.test", "sqlite-lock.test"].map(io),
  },
  {
    name: "recovery",
    sources: ["tail-repair", "log-writer"].map(jsonl),
    tests: ["commit.test", "foreign-writers.test", "upgrade-file.test", "fault-injection.test"].map(
      jsonl,
    ),
  },
  {
    name: "recovery",
    sources: ["repair", "repair-plan"].map(jsonl),
    tests: ["repair-plan.test", "repair.test"].map(jsonl),
  },
  {
    name: "scanner",
    sources: ["line-scanner", "lines-backward", "chunk-lines"].map(io),
    tests: ["line-scanner.test", "lines-backward.test", "chunk-lines.test"].map(io),
  },
];
