/** Extensions of files, and other names of languages, by the name that the highlighter has for them. */
const NAMES: Readonly<Record<string, readonly string[]>> = {
  bash: ["sh", "shell", "zsh", "console"],
  c: ["h"],
  cpp: ["cc", "cxx", "hpp", "c++"],
  css: ["scss", "less"],
  diff: ["patch"],
  go: ["golang"],
  java: [],
  javascript: ["js", "jsx", "mjs", "cjs"],
  json: ["jsonl", "json5", "jsonc"],
  markdown: ["md", "mdx"],
  python: ["py", "pyi"],
  ruby: ["rb"],
  rust: ["rs"],
  sql: [],
  typescript: ["ts", "tsx", "mts", "cts"],
  xml: ["html", "htm", "svg", "vue"],
  yaml: ["yml"],
};

const BY_NAME: ReadonlyMap<string, string> = new Map(
  Object.entries(NAMES).flatMap(([name, others]) =>
    [name, ...others].map((other) => [other, name] as const),
  ),
);

/** The language that a fence or an extension names, or null for one that is shown plain. */
export function languageNamed(name: string): string | null {
  return BY_NAME.get(name.toLowerCase()) ?? null;
}

/** The language of a file, by the end of its name. */
export function languageOfPath(path: string): string | null {
  const dot = path.lastIndexOf(".");
  return dot < 0 ? null : languageNamed(path.slice(dot + 1));
}
