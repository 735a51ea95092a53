import type { Verb, VerbOption } from "./verb.ts";
import { appendVerb } from "./verbs/append.ts";
import { archiveVerb, unarchiveVerb } from "./verbs/archive.ts";
import { benchVerb } from "./verbs/bench.ts";
import { branchVerb } from "./verbs/branch.ts";
import { expandVerb, uncompactVerb } from "./verbs/compaction.ts";
import { completionVerbs } from "./verbs/completion.ts";
import { contextVerb } from "./verbs/context.ts";
import { hideVerb, replaceVerb, unhideVerb } from "./verbs/edit.ts";
import { exportVerb } from "./verbs/export.ts";
import { cloneVerb, forkVerb } from "./verbs/fork.ts";
import { fsckVerb, repairVerb } from "./verbs/fsck.ts";
import { gcVerb } from "./verbs/gc.ts";
import { labelsVerb, labelVerb } from "./verbs/label.ts";
import { nameVerb, newVerb, relocateVerb } from "./verbs/lifecycle.ts";
import { lsVerb } from "./verbs/ls.ts";
import { oplogVerb, redoVerb, switchVerb, undoVerb } from "./verbs/move.ts";
import { searchVerb } from "./verbs/search.ts";
import { showVerb } from "./verbs/show.ts";
import { statsVerb } from "./verbs/stats.ts";
import { statusVerb } from "./verbs/status.ts";
import { purgeVerb, restoreVerb, rmVerb } from "./verbs/trash.ts";
import { logVerb, treeVerb } from "./verbs/tree.ts";

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
  { name: "debug", about: "stack traces of errors" },
];

/** Every verb: parser, help and completion are made from this table. */
export const VERBS: readonly Verb[] = [
  statusVerb,
  lsVerb,
  treeVerb,
  logVerb,
  showVerb,
  contextVerb,
  searchVerb,
  statsVerb,
  newVerb,
  nameVerb,
  branchVerb,
  switchVerb,
  undoVerb,
  redoVerb,
  oplogVerb,
  forkVerb,
  cloneVerb,
  labelVerb,
  labelsVerb,
  hideVerb,
  replaceVerb,
  unhideVerb,
  expandVerb,
  uncompactVerb,
  appendVerb,
  fsckVerb,
  repairVerb,
  exportVerb,
  rmVerb,
  restoreVerb,
  purgeVerb,
  relocateVerb,
  archiveVerb,
  unarchiveVerb,
  gcVerb,
  benchVerb,
  ...completionVerbs({ verbs: () => VERBS, options: GLOBAL_OPTIONS }),
];
