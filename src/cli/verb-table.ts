import type { Verb, VerbOption } from "./verb.ts";
import type { CompletionVerbs } from "./verbs/completion.ts";

/** Options that stand before or after any verb. */
export const GLOBAL_OPTIONS: readonly VerbOption[] = [
  { name: "json", about: "JSON lines instead of text (docs/cli-json.md)" },
  { name: "plain", about: "no colours and no drawings: sentences" },
  { name: "root", value: "dir", about: "look for sessions in this folder only" },
  {
    name: "session",
    short: "s",
    value: "session",
    about: "the session: file, id, prefix, name, last",
  },
  { name: "no-index", about: "read the files themselves instead of the index" },
  { name: "allow-network", about: "write on a network file system, where one machine only does" },
  { name: "debug", about: "stack traces of errors" },
];

/**
 * Every verb by name, in the order of the help. A verb's module is loaded when it runs or is explained:
 * parser, help and completion are made from what it says of itself.
 */
const VERBS: Readonly<Record<string, () => Promise<Verb>>> = {
  status: async () => (await import("./verbs/status.ts")).statusVerb,
  ls: async () => (await import("./verbs/ls.ts")).lsVerb,
  tree: async () => (await import("./verbs/tree.ts")).treeVerb,
  log: async () => (await import("./verbs/tree.ts")).logVerb,
  show: async () => (await import("./verbs/show.ts")).showVerb,
  context: async () => (await import("./verbs/context.ts")).contextVerb,
  search: async () => (await import("./verbs/search.ts")).searchVerb,
  stats: async () => (await import("./verbs/stats.ts")).statsVerb,
  new: async () => (await import("./verbs/lifecycle.ts")).newVerb,
  name: async () => (await import("./verbs/lifecycle.ts")).nameVerb,
  branch: async () => (await import("./verbs/branch.ts")).branchVerb,
  switch: async () => (await import("./verbs/move.ts")).switchVerb,
  undo: async () => (await import("./verbs/move.ts")).undoVerb,
  redo: async () => (await import("./verbs/move.ts")).redoVerb,
  oplog: async () => (await import("./verbs/move.ts")).oplogVerb,
  fork: async () => (await import("./verbs/fork.ts")).forkVerb,
  clone: async () => (await import("./verbs/fork.ts")).cloneVerb,
  label: async () => (await import("./verbs/label.ts")).labelVerb,
  labels: async () => (await import("./verbs/label.ts")).labelsVerb,
  hide: async () => (await import("./verbs/edit.ts")).hideVerb,
  replace: async () => (await import("./verbs/edit.ts")).replaceVerb,
  unhide: async () => (await import("./verbs/edit.ts")).unhideVerb,
  expand: async () => (await import("./verbs/compaction.ts")).expandVerb,
  uncompact: async () => (await import("./verbs/compaction.ts")).uncompactVerb,
  ask: async () => (await import("./verbs/ask.ts")).askVerb,
  edit: async () => (await import("./verbs/edit-prompt.ts")).editVerb,
  retry: async () => (await import("./verbs/ask.ts")).retryVerb,
  resume: async () => (await import("./verbs/ask.ts")).resumeVerb,
  chat: async () => (await import("./verbs/chat.ts")).chatVerb,
  queue: async () => (await import("./verbs/queue.ts")).queueVerb,
  compact: async () => (await import("./verbs/compact.ts")).compactVerb,
  merge: async () => (await import("./verbs/merge.ts")).mergeVerb,
  pick: async () => (await import("./verbs/merge.ts")).pickVerb,
  append: async () => (await import("./verbs/append.ts")).appendVerb,
  fsck: async () => (await import("./verbs/fsck.ts")).fsckVerb,
  repair: async () => (await import("./verbs/fsck.ts")).repairVerb,
  export: async () => (await import("./verbs/export.ts")).exportVerb,
  rm: async () => (await import("./verbs/trash.ts")).rmVerb,
  restore: async () => (await import("./verbs/trash.ts")).restoreVerb,
  purge: async () => (await import("./verbs/trash.ts")).purgeVerb,
  relocate: async () => (await import("./verbs/lifecycle.ts")).relocateVerb,
  archive: async () => (await import("./verbs/archive.ts")).archiveVerb,
  unarchive: async () => (await import("./verbs/archive.ts")).unarchiveVerb,
  gc: async () => (await import("./verbs/gc.ts")).gcVerb,
  serve: async () => (await import("./verbs/serve.ts")).serveVerb,
  bench: async () => (await import("./verbs/bench.ts")).benchVerb,
  completion: async () => (await completion()).completion,
  __complete: async () => (await completion()).complete,
};

async function completion(): Promise<CompletionVerbs> {
  const { completionVerbs } = await import("./verbs/completion.ts");
  return completionVerbs({ verbs: loadVerbs, options: GLOBAL_OPTIONS });
}

/** Every verb, in the order of the help. */
export function loadVerbs(): Promise<readonly Verb[]> {
  return Promise.all(Object.values(VERBS).map((load) => load()));
}

/** The verb with this name, undefined where there is none. */
export async function loadVerb(name: string): Promise<Verb | undefined> {
  return Object.hasOwn(VERBS, name) ? await VERBS[name]?.() : undefined;
}
