import type { MessageKey } from "../i18n/en.ts";

/** One line of the key overlay. */
export interface KeyLine {
  readonly keys: readonly string[];
  readonly text: MessageKey;
}

/** All keys of the page, by place. */
export const KEY_GROUPS: readonly {
  readonly title: MessageKey;
  readonly lines: readonly KeyLine[];
}[] = [
  {
    title: "key.group.anywhere",
    lines: [
      { keys: ["Ctrl/⌘ K"], text: "app.paletteTitle" },
      { keys: ["?"], text: "app.keysTitle" },
      { keys: ["g 1", "g 5"], text: "key.goto" },
      { keys: ["/"], text: "key.search" },
      { keys: ["u", "U"], text: "action.undo" },
      { keys: ["Esc"], text: "key.escape" },
    ],
  },
  {
    title: "key.group.workspace",
    lines: [
      { keys: ["j", "k"], text: "key.nextPrompt" },
      { keys: ["[", "]"], text: "key.forks" },
      { keys: ["←", "→"], text: "key.siblings" },
      { keys: ["s"], text: "action.switch" },
      { keys: ["e"], text: "action.edit" },
      { keys: ["R"], text: "action.retry" },
      { keys: ["b"], text: "action.branch" },
      { keys: ["f"], text: "action.fork" },
      { keys: ["L"], text: "action.label" },
      { keys: ["h"], text: "action.hide" },
      { keys: ["c"], text: "action.context" },
      { keys: ["D"], text: "action.compare" },
      { keys: ["t", "o"], text: "key.tools" },
      { keys: ["G"], text: "key.end" },
      { keys: ["i"], text: "key.write" },
    ],
  },
  {
    title: "key.group.library",
    lines: [
      { keys: ["j", "k"], text: "key.nextRow" },
      { keys: ["Enter"], text: "library.open" },
      { keys: ["Space"], text: "key.select" },
      { keys: ["r"], text: "library.rename" },
      { keys: ["p"], text: "library.pin" },
      { keys: ["a"], text: "library.archive" },
      { keys: ["x"], text: "key.pick" },
      { keys: ["y"], text: "library.copyId" },
      { keys: ["n"], text: "library.new" },
    ],
  },
  {
    title: "key.group.tree",
    lines: [
      { keys: ["↑", "↓"], text: "key.nextRow" },
      { keys: ["←", "→"], text: "key.foldTree" },
      { keys: ["Enter"], text: "action.switch" },
    ],
  },
  {
    title: "key.group.context",
    lines: [
      { keys: ["←", "→"], text: "key.scrub" },
      { keys: ["x"], text: "transcript.expand" },
      { keys: ["h"], text: "action.hide" },
      { keys: ["y"], text: "key.copyBody" },
    ],
  },
  {
    title: "key.group.compare",
    lines: [
      { keys: ["n", "N"], text: "key.nextDiff" },
      { keys: ["m"], text: "action.merge" },
      { keys: ["1", "4"], text: "key.column" },
      { keys: ["s"], text: "compare.switch" },
      { keys: ["v"], text: "key.modes" },
      { keys: ["w"], text: "key.grain" },
      { keys: ["y"], text: "compare.copy" },
    ],
  },
  {
    title: "key.group.health",
    lines: [
      { keys: ["v"], text: "key.by" },
      { keys: ["F"], text: "health.run" },
    ],
  },
];
