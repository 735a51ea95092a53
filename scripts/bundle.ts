/**
 * Joins the modules that `tsc` emitted into a few files, because Node takes about as long to load a
 * module as to run it and there are hundreds. Each module becomes a function that runs when it is first
 * needed. Modules that the same entry points need share a file, and what only one `import()` needs has a
 * file of its own, so a verb of the command line pays for what it uses. Knows the forms of import and
 * export that this code base uses, and refuses others.
 */
import { readFileSync } from "node:fs";
import path from "node:path";
import { Script } from "node:vm";

/** One emitted file. */
interface Module {
  /** Path below the folder, with `/`. */
  readonly file: string;
  /** Name of its function. */
  readonly name: string;
  /** Without imports, and with exports as plain declarations. */
  readonly body: string;
  /** Exported name → the expression that gives it. */
  readonly exports: ReadonlyMap<string, string>;
  /** Modules that it imports. */
  readonly needs: readonly string[];
  /** Modules that it imports later. */
  readonly later: readonly string[];
  /** Packages that it imports, by name. */
  readonly packages: readonly string[];
}

/** A file of the bundle. */
export interface BundledFile {
  /** Path below the folder. */
  readonly file: string;
  readonly code: string;
}

const IMPORT = /^import (?:(\w+)|\* as (\w+)|\{([^}]*)\}) from "([^"]+)";$/gm;
const EXPORT_FROM = /^export \{([^}]*)\} from "([^"]+)";$/gm;
const EXPORT_LIST = /^export \{([^}]*)\};$/gm;
const EXPORTED = /^export (?=(?:(?:async )?function\*?|class|const) (\w+))/gm;
const LATER = /\bimport\("(\.[^"]+)"\)/g;

type ImportParts = readonly [string, string | undefined, string | undefined, string, string];

/** A module that is imported later, until it is known from where. */
const TARGET = /\bimport\("later:([^"]+)"\)/g;

/** Text of one byte a character is loaded faster. */
const NOT_ASCII = /[^\0-\x7f]/g;

const nameOf = (file: string): string => `$${file.replace(/\.js$/, "").replace(/\W/g, "_")}`;

/** `a, b as c` → [["a", "a"], ["b", "c"]]. */
function namesIn(list: string): [string, string][] {
  const parts = list.split(",").map((part) => part.trim());
  return parts
    .filter((part) => part !== "")
    .map((part) => {
      const [from = "", to = from] = part.split(" as ");
      return [from, to];
    });
}

/** Modules of Node that take ms to load. */
const LAZY: ReadonlySet<string> = new Set(["node:crypto", "node:zlib"]);

/** A function that loads the module when it is first called. */
function calledLater(specifier: string): (names: readonly [string, string]) => string {
  return ([from, to]) =>
    `let ${to}$; const ${to} = (...values) => (${to}$ ??= globalThis.process.getBuiltinModule("${specifier}").${from})(...values);`;
}

/** Whether nothing but functions is taken. */
const isOfFunctions = (list: string): boolean =>
  namesIn(list).every(([from]) => from !== "constants");

/** Reads one module. Throws for a form of import or export that it does not know. */
function readModule(file: string, code: string): Module {
  const needs = new Set<string>();
  const later = new Set<string>();
  const packages = new Set<string>();
  const given = new Map<string, string>();
  const head: string[] = [];
  const sourceOf = (specifier: string): string => {
    if (specifier.startsWith("node:")) return `globalThis.process.getBuiltinModule("${specifier}")`;
    if (!specifier.startsWith(".")) {
      packages.add(specifier);
      return packageName(specifier);
    }
    const target = path.posix.join(path.posix.dirname(file), specifier);
    needs.add(target);
    return `${nameOf(target)}()`;
  };
  const bound = (list: string, specifier: string): string => {
    if (LAZY.has(specifier) && isOfFunctions(list))
      return namesIn(list).map(calledLater(specifier)).join("\n");
    const names = namesIn(list).map(([from, to]) => (from === to ? from : `${from}: ${to}`));
    return `const { ${names.join(", ")} } = ${sourceOf(specifier)};`;
  };
  const body = code
    .replace(EXPORT_FROM, (_all, list: string, specifier: string) => {
      const value = sourceOf(specifier);
      for (const [from, to] of namesIn(list)) given.set(to, `${value}.${from}`);
      return "";
    })
    .replace(EXPORT_LIST, (_all, list: string) => {
      for (const [from, to] of namesIn(list)) given.set(to, from);
      return "";
    })
    .replace(IMPORT, (...parts) => {
      const [, whole, space, list, specifier] = parts as unknown as ImportParts;
      const name = whole ?? space;
      const value = name === undefined ? undefined : sourceOf(specifier);
      head.push(value === undefined ? bound(list, specifier) : `const ${name} = ${value};`);
      return "";
    })
    .replace(EXPORTED, (_all, name: string) => {
      given.set(name, name);
      return "";
    })
    .replace(LATER, (_all, specifier: string) => {
      const target = path.posix.join(path.posix.dirname(file), specifier);
      later.add(target);
      return `import("later:${target}")`;
    });
  const unknown = /^(?:import|export)\b.*/m.exec(body)?.[0];
  if (unknown !== undefined) throw new TypeError(`${file}: cannot join: ${unknown}`);
  const text = `${head.join("\n")}\n${body.trim()}`.trim();
  assertFunction(file, text);
  const name = nameOf(file);
  return {
    ...{ file, name, body: text, exports: given },
    ...{ needs: [...needs], later: [...later], packages: [...packages] },
  };
}

/** A module becomes a function, so it cannot wait at its top. Throws where it would be none. */
function assertFunction(file: string, text: string): void {
  // A script has no such thing, and the file of the module will.
  const body = text.replace(/\bimport\.meta\b/g, "globalThis");
  try {
    new Script(`(() => {\n${body}\n})`);
  } catch (cause) {
    throw new TypeError(`${file}: cannot be a function: ${String(cause)}`, { cause });
  }
}

const packageName = (specifier: string): string => `$package_${specifier.replace(/\W/g, "_")}`;

/** Everything that a module needs to run, itself first; with `later` also what it may need then. */
function reached(
  modules: ReadonlyMap<string, Module>,
  start: string,
  until: "run" | "later",
): ReadonlySet<string> {
  const found = new Set([start]);
  for (const file of found) {
    const module = modules.get(file);
    for (const next of module?.needs ?? []) found.add(next);
    if (until === "later") for (const next of module?.later ?? []) found.add(next);
  }
  return found;
}

/** By module, those of `starts` that reach it. */
function usersOf(
  modules: ReadonlyMap<string, Module>,
  starts: Iterable<string>,
  until: "run" | "later",
): ReadonlyMap<string, readonly string[]> {
  const users = new Map<string, string[]>();
  for (const start of starts)
    for (const file of reached(modules, start, until))
      users.set(file, [...(users.get(file) ?? []), start]);
  return users;
}

/** Reads the modules that the entry points need. */
function readAll(folder: string, entries: readonly string[]): ReadonlyMap<string, Module> {
  const modules = new Map<string, Module>();
  const wanted = new Set(entries);
  for (const file of wanted) {
    const code = readFileSync(path.join(folder, file), "utf8");
    const module = readModule(file, code);
    if (/\bimport\.meta\b/.test(code) && !entries.includes(file))
      throw new TypeError(`${file}: uses import.meta, so it must be an entry point`);
    modules.set(file, module);
    for (const next of [...module.needs, ...module.later]) wanted.add(next);
  }
  return modules;
}

/**
 * In which file of the bundle each module stands: entry points alone; what a shaping entry point needs to
 * run, with what the same ones need, so that they load few files; what one `import()` needs alone, with
 * that; and the rest with what the same entry points may need.
 */
function placesOf(
  modules: ReadonlyMap<string, Module>,
  {
    entries,
    shaping,
  }: { readonly entries: readonly string[]; readonly shaping: ReadonlySet<string> },
): ReadonlyMap<string, string> {
  const later = [...modules.values()].flatMap((module) => module.later);
  const users = usersOf(modules, new Set([...entries, ...later]), "run");
  const owners = usersOf(modules, entries, "later");
  const groups = new Map<string, string>();
  const places = new Map(entries.map((entry) => [entry, entry]));
  for (const [file, by] of users) {
    if (places.has(file)) continue;
    const shapers = by.filter((entry) => shaping.has(entry));
    const mixed = by.length === 1 ? by : ["several", ...(owners.get(file) as readonly string[])];
    const key = (shapers.length > 0 ? shapers : mixed).join("\n");
    const place = groups.get(key) ?? `chunks/${groups.size + 1}.js`;
    groups.set(key, place);
    places.set(file, place);
  }
  return places;
}

/**
 * The module as a function that runs once. In brackets, because V8 compiles a function that stands in
 * brackets with its file instead of at its first call: once less read, and kept by the compile cache.
 */
function wrapped({ name, body, exports }: Module): string {
  const members = [...exports].map(([to, from]) => (to === from ? to : `${to}: ${from}`));
  const given = `return { ${members.join(", ")} };`;
  return `let ${name}$;
const ${name} = (() => ${name}$ ??= (() => {
${body}
${given}
})());`;
}

/** What a file gives: functions that other files need; an entry point also what it exports itself. */
function exported(modules: readonly Module[], place: string, shared: ReadonlySet<string>): string {
  const functions = modules.map(({ name }) => name).filter((name) => shared.has(name));
  const lines = functions.length === 0 ? [] : [`export { ${functions.join(", ")} };`];
  const entry = modules.find(({ file }) => file === place);
  if (entry === undefined) return lines.join("\n");
  const names = [...entry.exports.keys()];
  const given = names.length === 0 ? "" : `export const { ${names.join(", ")} } = `;
  return [...lines, `${given}${entry.name}();`].join("\n");
}

/** Functions that a file other than their own needs. */
function sharedNames(
  all: ReadonlyMap<string, Module>,
  places: ReadonlyMap<string, string>,
): ReadonlySet<string> {
  const abroad = [...all.values()].flatMap(({ file, needs, later }) =>
    [...needs, ...later].filter((need) => places.get(need) !== places.get(file)),
  );
  return new Set(abroad.map(nameOf));
}

const escaped = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;

function pathBetween(from: string, to: string): string {
  const relative = path.posix.relative(path.posix.dirname(from), to);
  return relative.startsWith(".") ? relative : `./${relative}`;
}

function codeOf(
  place: string,
  all: ReadonlyMap<string, Module>,
  places: ReadonlyMap<string, string>,
): string {
  const own = [...all.values()].filter(({ file }) => places.get(file) === place);
  const foreign = new Map<string, Set<string>>();
  for (const need of own.flatMap(({ needs }) => needs)) {
    const from = places.get(need) as string;
    if (from !== place) foreign.set(from, (foreign.get(from) ?? new Set()).add(nameOf(need)));
  }
  const imports = [...foreign].map(([from, names]) => {
    return `import { ${[...names].join(", ")} } from "${pathBetween(place, from)}";`;
  });
  const packages = new Set(own.flatMap((module) => module.packages));
  for (const one of packages) imports.unshift(`import * as ${packageName(one)} from "${one}";`);
  const lines = [...imports, ...own.map(wrapped), exported(own, place, sharedNames(all, places))];
  const targeted = lines.join("\n").replace(TARGET, (_all, target: string) => {
    const at = places.get(target) as string;
    if (at === place) return `Promise.try(${nameOf(target)})`;
    const loaded = `import("${pathBetween(place, at)}")`;
    return at === target ? loaded : `${loaded}.then((file) => file.${nameOf(target)}())`;
  });
  return `${targeted.replace(NOT_ASCII, escaped)}\n`;
}

/**
 * Joins the modules below a folder.
 * @param folder absolute path of what `tsc` emitted
 * @param entries files below it that are imported or started by path; they keep their place
 * @param shaping those of them for which the number of files counts; default all
 */
export function bundle(
  folder: string,
  entries: readonly string[],
  shaping: readonly string[] = entries,
): readonly BundledFile[] {
  const modules = readAll(folder, entries);
  const places = placesOf(modules, { entries, shaping: new Set(shaping) });
  return [...new Set(places.values())].map((file) => ({
    file,
    code: codeOf(file, modules, places),
  }));
}
