/**
 * Joins the modules that `tsc` emitted into a few files, because Node takes about as long to load a
 * module as to run it and there are hundreds. Each module becomes a function that runs when it is first
 * needed, so a verb of the command line pays for what it uses. Modules that the same entry points need
 * share a file. Knows the forms of import and export that this code base uses, and refuses others.
 */
import { readFileSync } from "node:fs";
import path from "node:path";

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
  /** Modules that it imports, also those that it imports later. */
  readonly needs: readonly string[];
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

/** An entry point that is imported later, until it is known from where. */
const ENTRY = /\bimport\("entry:([^"]+)"\)/g;

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

/** Modules of Node that take ms to load and of which nothing but functions is used. */
const LAZY: ReadonlySet<string> = new Set(["node:crypto"]);

/** A function that loads the module when it is called. */
function calledLater(specifier: string): (names: readonly [string, string]) => string {
  return ([from, to]) =>
    `const ${to} = (...values) => globalThis.process.getBuiltinModule("${specifier}").${from}(...values);`;
}

/** Reads one module. Throws for a form of import or export that it does not know. */
function readModule(file: string, code: string, entries: ReadonlySet<string>): Module {
  const needs = new Set<string>();
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
    if (LAZY.has(specifier)) return namesIn(list).map(calledLater(specifier)).join("\n");
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
      if (entries.has(target)) return `import("entry:${target}")`;
      return `Promise.try(() => ${sourceOf(specifier)})`;
    });
  const unknown = /^(?:import|export)\b.*/m.exec(body)?.[0];
  if (unknown !== undefined) throw new TypeError(`${file}: cannot join: ${unknown}`);
  const text = `${head.join("\n")}\n${body.trim()}`.trim();
  const name = nameOf(file);
  return { file, name, body: text, exports: given, needs: [...needs], packages: [...packages] };
}

const packageName = (specifier: string): string => `$package_${specifier.replace(/\W/g, "_")}`;

/** Everything that an entry point needs, itself first. */
function reached(modules: ReadonlyMap<string, Module>, entry: string): ReadonlySet<string> {
  const found = new Set([entry]);
  for (const file of found) for (const next of modules.get(file)?.needs ?? []) found.add(next);
  return found;
}

/** Reads the modules that the entry points need. */
function readAll(folder: string, entries: readonly string[]): ReadonlyMap<string, Module> {
  const modules = new Map<string, Module>();
  const wanted = new Set(entries);
  for (const file of wanted) {
    const code = readFileSync(path.join(folder, file), "utf8");
    const module = readModule(file, code, new Set(entries));
    if (/\bimport\.meta\b/.test(code) && !entries.includes(file))
      throw new TypeError(`${file}: uses import.meta, so it must be an entry point`);
    modules.set(file, module);
    for (const next of module.needs) wanted.add(next);
  }
  return modules;
}

/** In which file of the bundle each module stands: entry points alone, others with those needed by the same. */
function placesOf(
  modules: ReadonlyMap<string, Module>,
  {
    entries,
    shaping,
  }: { readonly entries: readonly string[]; readonly shaping: ReadonlySet<string> },
): ReadonlyMap<string, string> {
  const users = new Map<string, string[]>();
  for (const entry of entries) {
    for (const file of reached(modules, entry)) {
      if (!entries.includes(file)) users.set(file, [...(users.get(file) ?? []), entry]);
    }
  }
  const groups = new Map<string, string>();
  const places = new Map(entries.map((entry) => [entry, entry]));
  for (const [file, by] of users) {
    // What a shaping entry point needs is grouped by those alone, so that they load few files.
    const shapers = by.filter((entry) => shaping.has(entry));
    const key = (shapers.length > 0 ? shapers : by).join("\n");
    const place = groups.get(key) ?? `chunks/${groups.size + 1}.js`;
    groups.set(key, place);
    places.set(file, place);
  }
  return places;
}

/** The module as a function that runs once. */
function wrapped({ name, body, exports }: Module): string {
  const members = [...exports].map(([to, from]) => (to === from ? to : `${to}: ${from}`));
  const given = `return { ${members.join(", ")} };`;
  return `let ${name}$;
function ${name}() {
return ${name}$ ??= (() => {
${body}
${given}
})();
}`;
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
  const abroad = [...all.values()].flatMap(({ file, needs }) =>
    needs.filter((need) => places.get(need) !== places.get(file)),
  );
  return new Set(abroad.map(nameOf));
}

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
  return `${lines.join("\n")}\n`.replace(
    ENTRY,
    (_all, entry: string) => `import("${pathBetween(place, entry)}")`,
  );
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
