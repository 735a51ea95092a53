import { latePattern } from "../entry/late-pattern.ts";
import type { Match } from "./token-family.ts";

/** Folders and names that tell who somebody is. Made by {@link personOf}. */
export interface Person {
  /** Folders with what stands for them, longest first. */
  readonly folders: readonly { readonly pattern: RegExp; readonly stands: string }[];
  readonly names: RegExp | null;
}

/** What is known of the machine that a session comes from. */
export interface PersonFacts {
  /** The session's working folder: becomes the name of the project. */
  readonly cwd?: string | null;
  /** Home folders of people. Those that the working folder names are found by themselves. */
  readonly homes?: readonly string[];
  readonly userNames?: readonly string[];
}

/** Kinds of what is replaced without being a secret. */
export const PERSONAL_KINDS: readonly string[] = ["home-folder", "user-name", "working-folder"];

/** Where people's folders stand on the systems we know; the group is the name. */
const HOMES: readonly RegExp[] = [
  /(?<![\w.~-])(?:\/(?:var|usr|data|export))?\/(?:home|Users)\/(?!Shared(?![\w.-]))([\w.-]{1,64})/g,
  /(?<![A-Za-z])[A-Za-z]:[\\/]{1,4}Users[\\/]{1,4}(?!Public(?![\w.-]))([^\\/:*?"<>|\s]{1,64})/gi,
  /(?<![\w.~-])(?:\/mnt)?\/[a-z]\/Users\/([\w.-]{1,64})/gi,
];

/** Names that say nothing of anybody. */
const NOBODY = new Set(
  "admin administrator agent app bot build builder ci claude codespace container debian default dev developer docker git guest home jenkins local node nobody operator owner public python root runner sandbox server service shared staging system temp test tester ubuntu user users vagrant vscode web work workspace www".split(
    " ",
  ),
);

/** What to look for, worked out once. */
export function personOf(facts: PersonFacts): Person {
  const cwd = withoutEnd(facts.cwd ?? "");
  const homes = (facts.homes ?? []).map(withoutEnd).filter(isFolder);
  const names = new Set([
    ...(facts.userNames ?? []),
    ...homes.map(lastPart),
    ...HOMES.flatMap((pattern) => [...cwd.matchAll(pattern)].map((match) => match[1] ?? "")),
  ]);
  const isProject = isFolder(cwd) && !homes.includes(cwd) && !isHome(cwd);
  const folders = [
    ...(isProject ? [{ folder: cwd, stands: lastPart(cwd) }] : []),
    ...homes.map((folder) => ({ folder, stands: "~" })),
  ];
  const known = [...names].filter((name) => name.length >= 3 && !NOBODY.has(name.toLowerCase()));
  return {
    folders: folders.map(({ folder, stands }) => ({ pattern: folderPattern(folder), stands })),
    names:
      known.length === 0
        ? null
        : new RegExp(
            `(?<![A-Za-z\\d])(?:${known.map(RegExp.escape).join("|")})(?![A-Za-z\\d])`,
            "g",
          ),
  };
}

const withoutEnd = (folder: string): string => folder.replace(/[\\/]+$/, "");
const notOfName = latePattern(String.raw`[^\p{L}\p{N}._ -]`, "gu");
const lastPart = (folder: string): string =>
  (folder.split(/[\\/]/).at(-1) ?? "").replace(notOfName(), "");

/** A folder that is worth a name: not the root, not a drive. */
const isFolder = (folder: string): boolean =>
  /^(?:\/|[A-Za-z]:[\\/]).*[^\\/]/.test(folder) && lastPart(folder) !== "";

function isHome(folder: string): boolean {
  return HOMES.some((pattern) => folder.replace(pattern, "") === "");
}

/** The folder itself and what is below it, with either kind of slash between its parts. */
function folderPattern(folder: string): RegExp {
  const parts = folder.split(/[\\/]+/).map(RegExp.escape);
  return new RegExp(`(?<![\\w.-])${parts.join("[\\\\/]{1,2}")}(?![\\w-])`, "g");
}

/** Ranks among themselves: the working folder lies inside a home, a home holds a name. */
const RANKS = { folder: 0, home: 10, name: 11 } as const;

/** Folders and names in a text. `secret` of a match of the working folder is the folder. */
export function personalMatches(text: string, person: Person): Match[] {
  const found: Match[] = [];
  const take = (kind: string, pattern: RegExp, rank: number): void => {
    for (const { 0: secret, index } of text.matchAll(pattern)) {
      found.push({ kind, start: index, end: index + secret.length, secret, rank });
    }
  };
  for (const { pattern, stands } of person.folders) {
    take(stands === "~" ? "home-folder" : "working-folder", pattern, RANKS.folder);
  }
  if (/home|users/i.test(text))
    for (const pattern of HOMES) take("home-folder", pattern, RANKS.home);
  if (person.names !== null) take("user-name", person.names, RANKS.name);
  return found;
}

/** What is written in the place of a match of a personal kind. */
export function personalText(kind: string, person: Person): string {
  if (kind === "home-folder") return "~";
  if (kind === "user-name") return "[user]";
  return person.folders.find(({ stands }) => stands !== "~")?.stands ?? "~";
}
