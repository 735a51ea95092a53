/**
 * The page that `branchline export --to html` fills: one file with its code, its styles and a policy that
 * allows exactly these two. The same tree and transcript as the page of the server; what talks to a server
 * there is replaced by modules that read the data in the file.
 */
import { createHash } from "node:crypto";
import path from "node:path";
import { build, type InlineConfig, type Plugin, type Rolldown } from "vite";
import { viteOptions } from "./vite-options.ts";

const SOURCES = path.join(import.meta.dirname, "src");

/** Modules of the page and what stands in their place. */
const REPLACED: Readonly<Record<string, string>> = {
  "api/http.ts": "export/embedded-http.ts",
  "app/location.ts": "export/hash-location.ts",
  "app/page-kind.ts": "export/page-kind.ts",
  "model/session-actions.ts": "export/look-actions.ts",
  "transcript/row-actions.ts": "export/row-menu.ts",
};

function replaceModules(): Plugin {
  const table = new Map(
    Object.entries(REPLACED).map(([from, to]) => [
      path.join(SOURCES, from),
      path.join(SOURCES, to),
    ]),
  );
  return {
    name: "branchline-export",
    enforce: "pre",
    resolveId(source, importer) {
      if (importer === undefined || !source.startsWith(".")) return undefined;
      return table.get(path.resolve(path.dirname(importer), source));
    },
  };
}

function options(): InlineConfig {
  const page = viteOptions();
  return {
    ...page,
    logLevel: "warn",
    publicDir: false,
    plugins: [replaceModules(), ...(page.plugins ?? [])],
    build: {
      ...page.build,
      write: false,
      emptyOutDir: false,
      cssCodeSplit: false,
      modulePreload: false,
      assetsInlineLimit: Number.MAX_SAFE_INTEGER,
      rolldownOptions: {
        input: path.join(SOURCES, "export/export-page.tsx"),
        output: { format: "iife", codeSplitting: false },
        // What loads parts on demand in the page asks where it is; here everything is in one part.
        transform: { define: { "import.meta": "{}" } },
      },
    },
  };
}

const hashOf = (text: string): string =>
  `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

/** Text of a script that no part of HTML can end early. */
export function scriptText(code: string): string {
  return code
    .replace(/<(?=\/script|!--|script)/gi, "\\x3c")
    .replaceAll("\u2028", "\\u2028")
    .replaceAll("\u2029", "\\u2029");
}

/** The template, with marks where the title and the data go. Throws where the page cannot be built. */
export async function exportTemplate(): Promise<string> {
  const made = (await build(options())) as Rolldown.RolldownOutput | Rolldown.RolldownOutput[];
  const output = (Array.isArray(made) ? made : [made]).flatMap((one) => one.output);
  const code = output.flatMap((one) => (one.type === "chunk" ? [one.code] : [])).join("\n");
  const styles = output.flatMap((one) =>
    one.type === "asset" && one.fileName.endsWith(".css") ? [String(one.source)] : [],
  );
  const script = scriptText(code);
  const style = styles.join("\n");
  if (/<\/style/i.test(style)) throw new TypeError("a style would end its element");
  const policy = [
    "default-src 'none'",
    `script-src ${hashOf(script)}`,
    `style-src ${hashOf(style)}`,
    "img-src data:",
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join("; ");
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title><!--branchline:title--></title>
<style>${style}</style>
</head>
<body>
<div id="page"></div>
<noscript>This page shows a conversation of an agent and needs JavaScript; it asks no network for anything.</noscript>
<!--branchline:data-->
<script>${script}</script>
</body>
</html>
`;
}
