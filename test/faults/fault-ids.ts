/** What a fault is about. */
export type Area =
  | "durability"
  | "concurrency"
  | "tree"
  | "context"
  | "compaction"
  | "queues"
  | "list"
  | "moving"
  | "security"
  | "growth";

/** A fault that was seen in the field, and what is right instead. */
export interface KnownFault {
  readonly id: string;
  readonly area: Area;
  /** What the test that names the fault in its title checks. */
  readonly right: string;
}

function faults(area: Area, rights: Readonly<Record<string, string>>): KnownFault[] {
  return Object.entries(rights).map(([id, right]) => ({ id, area, right }));
}

/** Every fault that a store, a session or its context can have; each one has a test that names it. */
export const KNOWN_FAULTS: readonly KnownFault[] = [
  ...faults("durability", {
    F001: "a torn tail is cut or sealed before the next append, and never glued to it",
    F002: "a short write is taken back, and told",
    F003: "a complete record is found behind a torn one in the same line",
    F004: "one bad line or file hides no session from the list",
    F005: "a block of NUL bytes costs nothing but itself",
    F006: "each record is one line that parses alone; one that is split hides only itself",
    F007: "lines end at 0x0A only, for every reader",
    F008: "a file that is gone from under its writer is an error, never a file without a header",
    F009: "memory follows the disk, never the other way round",
    F010: "a replaced file is there before the old one goes; no reader sees half",
    F011: "appends never go to a file that another one has replaced",
    F012: "what is acknowledged is on stable storage before the next step",
    F013: "the log is the authority; what is derived is built again",
    F014: "a session whose project moved opens, and nothing is written that was not read",
    F015: "listing writes nothing",
    F016: "nothing is removed unasked; putting away can be taken back",
    F017: "what is in use, named or newest is not put away",
    F018: "order comes from the log, not from clocks or counters elsewhere",
    F019: "one ordered commit for each step",
  }),
  ...faults("concurrency", {
    F020: "two processes on one session form one chain",
    F021: "a live owner is named",
    F022: "a lock of a dead owner is free at once",
    F023: "nobody rewrites a file from a stale state",
    F024: "a commit catches up instead of failing",
    F025: "who holds a lock is told with process and start time, and a dead one never blocks",
    F026: "a second run on a branch is refused with the owner's name",
    F027: "a fork is made only on request, and names its origin",
    F028: "one writer at a time for each session",
    F029: "temporary names are never shared",
    F030: "rows that an index lacks are found in the files",
    F031: "a busy index blocks no session",
    F032: "the file itself says which session it is; a wrong index changes nothing",
    F033: "a network file system is recognised and not written unless that was allowed",
    F034: "read, decide and write are one step under the lock",
    F035: "a commit on an old state is a conflict, not an overwrite",
    F036: "of several takers of one message one gets it",
    F037: "every handle on a session takes the same lock",
    F038: "values that are set at the same time are all there",
    F039: "a busy lock costs a wait, not the turn",
  }),
  ...faults("tree", {
    F040: "entries below a lost one stay reachable, with a visible gap",
    F041: "the leaf is an entry of the file",
    F042: "a missing link is bridged and shown",
    F043: "parents survive whatever rebuilds a file",
    F044: "rows that are no messages fork nothing",
    F045: "an id is used once: refused when written, reported when read",
    F046: "all results of a batch lie on one path",
    F047: "a second attempt hangs under the same question",
    F048: "the leaf is recorded, not guessed",
    F049: "a move of the leaf outlives the process",
    F050: "a result lands on the branch of its call",
    F051: "an open call is completed in the context; the leaf is read at the commit",
    F052: "the context is that of the place of the next append",
    F053: "a fork copies the path, nothing that was left",
    F054: "an edit holds on its own path",
    F055: "an edit at the root of a branch holds on that branch",
    F056: "every fork has an id of its own",
    F057: "opening runs and writes nothing",
    F058: "siblings never come into the context",
    F059: "a fork holds what others have just written",
  }),
  ...faults("context", {
    F060: "a call without a result is completed",
    F061: "no result without its call leaves the builder",
    F062: "a boundary in the middle of a pair is not taken as it is",
    F063: "a call and its results are one unit for every cut",
    F064: "content can be left out later, and stays in the session",
    F065: "bytes count beside tokens",
    F066: "the last turn can be dropped and the session goes on",
    F067: "what belongs together is kept or left together",
    F068: "a history with open calls is mended when it is read",
    F069: "the same path gives the same bytes before and after reloading",
    F070: "what a machine wrote is typed so",
  }),
  ...faults("compaction", {
    F071: "an empty or trivial summary is refused, and nothing changes",
    F072: "what a compaction saves is told before and after",
    F073: "a summary is on disk before it is used",
    F074: "standing instructions stay word for word",
    F075: "compactions without gain stop, and say why",
    F076: "a summary that does not shrink the context counts as no gain",
    F077: "what was decided and what is next stand apart from plans",
    F078: "a compaction that fails leaves the session able to go on",
    F079: "older entries stay as they are",
    F080: "a compaction refers to entries, it does not copy them",
    F081: "a compaction works on the active path",
    F082: "only complete summaries are written",
    F083: "one can go back to before a compaction",
    F084: "a summary holds nothing of other branches",
    F085: "off means off, with an error that says so",
    F086: "no cut between a call and its result",
    F087: "originals are stored before they are summarised",
    F088: "a fork of a compacted session has the same context",
    F089: "a first kept entry that is gone drops nothing",
  }),
  ...faults("queues", {
    F090: "one delivery, whatever waits meanwhile",
    F091: "busy from the first event on",
    F092: "one compaction at a time; a second one joins or is refused",
    F093: "steering waits for a compaction",
    F094: "every accepted message ends as delivered, returned or failed",
    F095: "compaction is part of the run, before it settles",
    F096: "a crash in a batch runs no finished call again",
  }),
  ...faults("moving", { F104: "a session follows its project folder" }),
  ...faults("list", {
    F097: "the list holds every session that there is a file for",
    F098: "completeness is compared with the files each time",
    F099: "limits change a preview, never whether a session is listed",
    F100: "the latest name counts, wherever it stands",
    F101: "full text over all sessions",
    F102: "a list needs bounded memory",
    F103: "a wrong id is an error and starts nothing",
  }),
  ...faults("security", {
    F112: "files are for their owner only",
    F113: "without a token nothing is told to anybody",
    F114: "one grammar of ids at every entry point",
    F115: "stored data is data: no code, no part of a query",
  }),
  ...faults("growth", {
    F116: "the end of a long session is read first",
    F117: "transient events never enter the log",
    F118: "sizes are told, and putting away says what it saves",
    F119: "the state of extensions does not slow opening and listing",
    F120: "a fork costs what its path costs",
    F121: "a fork says what it copies, or shares it",
    F122: "putting away goes by age, and keeps the newest and the named",
    F123: "what was removed gives its room back without a copy of everything in a log",
    F124: "an exit does no work on the whole file",
  }),
];
