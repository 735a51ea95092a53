/**
 * Which tests name which faults in their titles (F001…). Run alone, it prints how many each has; a fault
 * of test/faults/fault-ids.ts without any makes it fail.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { KNOWN_FAULTS, type KnownFault } from "../test/faults/fault-ids.ts";

const ROOT = join(import.meta.dirname, "..");
/** Titles: of tests and suites, and of the cases of suites that are run for several implementations. */
const TITLE =
  /(?:\b(?:it|test|describe)\(|\bname:|\btitle:)\s*(?:"((?:[^"\\]|\\.)*)"|`((?:[^`\\]|\\.)*)`)/g;

/** The titles in the text of a file. */
export function titlesIn(text: string): readonly string[] {
  return Array.from(text.matchAll(TITLE), ([, quoted, template]) => quoted ?? template ?? "");
}

/** The titles of all tests of the repository. */
export function allTitles(): readonly string[] {
  const titles: string[] = [];
  for (const folder of ["src", "test", "interop-tests"]) {
    for (const name of readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })) {
      const isOther = !/(\.test|-cases)\.ts$/.test(name) || name.includes("node_modules");
      // The test of this script has made-up titles.
      if (isOther || name.endsWith("fault-coverage.test.ts")) continue;
      titles.push(...titlesIn(readFileSync(join(ROOT, folder, name), "utf8")));
    }
  }
  return titles;
}

/** The titles that name each fault. */
export function coverage(
  titles: readonly string[],
  faults: readonly KnownFault[] = KNOWN_FAULTS,
): ReadonlyMap<KnownFault, readonly string[]> {
  const named = (id: string): readonly string[] =>
    titles.filter((title) => new RegExp(`\\b${id}\\b`).test(title));
  return new Map(faults.map((fault) => [fault, named(fault.id)]));
}

if (import.meta.main) {
  const covered = coverage(allTitles());
  const missing = [...covered].filter(([, titles]) => titles.length === 0);
  for (const [{ id, area, right }, titles] of covered) {
    console.log(`${id}  ${area.padEnd(11)}  ${`${titles.length}`.padStart(2)}  ${right}`);
  }
  console.log(
    `${covered.size - missing.length} of ${covered.size} faults have a test that names them`,
  );
  process.exitCode = missing.length > 0 ? 1 : 0;
}
