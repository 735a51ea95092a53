/**
 * The one table of layers. `layers.ts` builds its rules from it, and docs/layers.md is checked
 * against it. A new folder under src/ needs a row here before it can hold a file.
 */

/** One row: some folders or files under src/ that share a level. */
export interface Layer {
  /** As written in the documents. A `*` stands for any one folder; each such folder is a layer of its own. */
  readonly path: string;
  /** A file may import its own folder and strictly lower levels; equal levels never import each other. */
  readonly level: number;
  /** Whether it may import `node:` modules. */
  readonly node?: true;
  /** Whether it may import packages from npm. */
  readonly packages?: true;
  /** Importable from everywhere, its own level included. */
  readonly base?: true;
  /** What it holds, in a few words. */
  readonly about: string;
}

/** All layers, lowest first. A path that ends in `/` is a folder with all below; `*.ts` only the files directly in it. */
export const LAYERS: readonly Layer[] = [
  { path: "errors.ts", level: 0, base: true, about: "base error, closed code union" },
  { path: "entry/", level: 0, about: "entry types, line codec, upgrades, crc (pure)" },
  { path: "io/", level: 0, node: true, about: "append file, scanner, atomic publish, locks" },
  { path: "tree/", level: 1, about: "path, children, branches, labels, fold (pure)" },
  { path: "protocol/", level: 1, about: "wire types of HTTP and events" },
  { path: "store/*.ts", level: 2, about: "the store contract, commit and conflict rules" },
  { path: "index/*.ts", level: 2, about: "the index port" },
  { path: "client/", level: 3, about: "typed HTTP + SSE client" },
  { path: "store/memory/", level: 3, about: "store in memory" },
  { path: "store/jsonl/", level: 3, node: true, about: "store in session files" },
  { path: "store/sqlite/", level: 3, node: true, about: "store in SQLite" },
  { path: "store/postgres/", level: 3, node: true, about: "store in PostgreSQL" },
  { path: "store/remote/", level: 3, about: "store behind the HTTP API" },
  { path: "index/sqlite/", level: 3, node: true, about: "the index in SQLite" },
  { path: "projection/", level: 3, about: "path → raw → context (pure)" },
  { path: "local/", level: 4, node: true, about: "store and index of this machine, put together" },
  { path: "search/", level: 4, about: "full text, queries, roll-ups" },
  { path: "session/", level: 4, about: "one open session: position, append, move, fork" },
  { path: "redaction/", level: 4, about: "secrets, folders and names taken out of entries (pure)" },
  { path: "view/", level: 5, about: "entries as kinds, previews and safe text (pure)" },
  { path: "compaction/", level: 5, about: "policy, cut points, summariser port, recall" },
  { path: "interop/*/", level: 5, about: "file formats of other agents" },
  { path: "model/", level: 5, about: "the model port" },
  { path: "harness/", level: 6, about: "loop, tools, queues, lifecycle events" },
  { path: "export/", level: 6, node: true, about: "a session as a page, Markdown or a Pi file" },
  { path: "server/", level: 7, node: true, packages: true, about: "HTTP routes, SSE" },
  { path: "adapters/*/", level: 7, packages: true, about: "SDK adapters" },
  {
    path: "bench/",
    level: 7,
    node: true,
    about: "generated data, limits of a machine, measurements",
  },
  { path: "cli/", level: 8, node: true, packages: true, about: "arguments in, text or JSON out" },
  { path: "index.ts", level: 8, about: "the public surface" },
];

/** Test-only folders below src/: product code never imports them, tests always may. */
export const TEST_FOLDERS: readonly { readonly path: string; readonly level: number }[] = [
  { path: "io/testing/", level: 0 },
  { path: "redaction/testing/", level: 4 },
  { path: "store/testing/", level: 3 },
  { path: "store/jsonl/testing/", level: 3 },
  { path: "harness/testing/", level: 6 },
];

/** Fewer modules or imports than this in the real tree mean that the parser saw nothing. */
export const MINIMUM = { modules: 60, imports: 250 } as const;
