import bash from "highlight.js/lib/languages/bash";
import c from "highlight.js/lib/languages/c";
import cpp from "highlight.js/lib/languages/cpp";
import css from "highlight.js/lib/languages/css";
import diff from "highlight.js/lib/languages/diff";
import go from "highlight.js/lib/languages/go";
import java from "highlight.js/lib/languages/java";
import javascript from "highlight.js/lib/languages/javascript";
import json from "highlight.js/lib/languages/json";
import markdown from "highlight.js/lib/languages/markdown";
import python from "highlight.js/lib/languages/python";
import ruby from "highlight.js/lib/languages/ruby";
import rust from "highlight.js/lib/languages/rust";
import sql from "highlight.js/lib/languages/sql";
import typescript from "highlight.js/lib/languages/typescript";
import xml from "highlight.js/lib/languages/xml";
import yaml from "highlight.js/lib/languages/yaml";
import { createLowlight } from "lowlight";

const lowlight = createLowlight({
  ...{ bash, c, cpp, css, diff, go, java, javascript, json, markdown },
  ...{ python, ruby, rust, sql, typescript, xml, yaml },
});

/** Longest code that is coloured, in characters: the grammars look back and forth (S7). */
const LONGEST = 20_000;
/** Code is text that somebody else made: spans are nested no deeper than this. */
const DEEPEST = 24;

/** A piece of code of one kind. */
export interface CodePart {
  readonly text: string;
  /** Classes of the highlighter (`hljs-keyword`), "" = plain. */
  readonly kind: string;
}

interface Tree {
  readonly type: string;
  readonly value?: string;
  readonly properties?: { readonly className?: unknown };
  readonly children?: readonly Tree[];
}

/**
 * Code as a row of parts, which together are the code itself; null where it stays plain: too long, nested
 * too deep, or of no language that is known here. Gives data, never markup.
 */
export function highlighted(source: string, language: string): readonly CodePart[] | null {
  if (source.length > LONGEST || !lowlight.registered(language)) return null;
  const parts: CodePart[] = [];
  return collect(lowlight.highlight(language, source), "", { parts, depth: 0 }) ? parts : null;
}

/** The innermost kind is the one that a part has. False where it is nested too deep. */
function collect(
  tree: Tree,
  kind: string,
  { parts, depth }: { readonly parts: CodePart[]; readonly depth: number },
): boolean {
  if (depth > DEEPEST) return false;
  if (tree.value !== undefined) parts.push({ text: tree.value, kind });
  const own = tree.properties?.className;
  const inner = Array.isArray(own) ? own.join(" ") : kind;
  return (tree.children ?? []).every((child) => collect(child, inner, { parts, depth: depth + 1 }));
}
