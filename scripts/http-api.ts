/**
 * The tables of docs/http-api.md, made from the routes themselves.
 *
 * Run: `node scripts/http-api.ts` to check, `node scripts/http-api.ts --write` to rewrite them.
 */
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { openApiDocument } from "../src/server/openapi.ts";
import type { Route, RouteTag } from "../src/server/route.ts";
import { ALL_ROUTES } from "../src/server/routes/all-routes.ts";

const DOCUMENT = path.resolve(import.meta.dirname, "../docs/http-api.md");
const TITLES: Readonly<Record<RouteTag, string>> = {
  server: "Server",
  sessions: "Sessions",
  reading: "Reading",
  changes: "Changes",
  runs: "Runs",
  library: "Library",
  events: "Events",
  teaching: "Teaching agent",
};

type Json = Readonly<Record<string, unknown>>;

function member(value: unknown, ...names: readonly string[]): unknown {
  return names.reduce<unknown>((at, name) => Object(at)[name], value);
}

/** Names of the members of a body or query; optional ones with a question mark. */
function names(schema: unknown): string {
  const required = new Set(Object(member(schema, "required") ?? []));
  const all = Object.keys(Object(member(schema, "properties")) as Json);
  return all.map((name) => (required.has(name) ? name : `${name}?`)).join(", ");
}

function answerName(schema: unknown): string {
  const reference: unknown = member(schema, "$ref");
  if (typeof reference === "string") return `\`${reference.split("/").at(-1)}\``;
  const shown = names(schema);
  return shown === "" ? "JSON" : `{${shown}}`;
}

function rowOf(document: unknown, { method, path: where, about, answer }: Route): string {
  const operation = member(document, "paths", where, method);
  const parameters = member(operation, "parameters");
  const query = (Array.isArray(parameters) ? parameters : [])
    .filter((one) => member(one, "in") === "query")
    .map((one) => `${String(member(one, "name"))}${member(one, "required") === true ? "" : "?"}`)
    .join(", ");
  const body = names(member(operation, "requestBody", "content", "application/json", "schema"));
  const input = [query === "" ? "" : `?${query}`, body === "" ? "" : `{${body}}`]
    .filter(Boolean)
    .join(" ");
  const schema = member(operation, "responses", "200", "content", "application/json", "schema");
  const output = answer === null ? "no JSON" : answerName(schema);
  const cells = [
    `\`${method.toUpperCase()} ${where}\``,
    input === "" ? "" : `\`${input}\``,
    output,
    about,
  ];
  return `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
}

/** The tables of all routes, one a tag. */
export function routeTables(): string {
  const document = openApiDocument(ALL_ROUTES, "0");
  const parts: string[] = [];
  for (const [tag, title] of Object.entries(TITLES)) {
    const rows = ALL_ROUTES.filter((one) => one.tag === tag).map((one) => rowOf(document, one));
    parts.push(`### ${title}\n\n| call | takes | gives | |\n|---|---|---|---|\n${rows.join("\n")}`);
  }
  return parts.join("\n\n");
}

const MARKED = /(<!-- routes: scripts\/http-api\.ts -->\n)[\s\S]*?(\n<!-- end of routes -->)/;

/** The document with its tables as they have to be. */
export function withRouteTables(document: string): string {
  return document.replace(
    MARKED,
    (_, before: string, after: string) => before + routeTables() + after,
  );
}

if (process.argv[1] === import.meta.filename) {
  const text = readFileSync(DOCUMENT, "utf8");
  const wanted = withRouteTables(text);
  if (process.argv.includes("--write")) writeFileSync(DOCUMENT, wanted);
  else if (text !== wanted) {
    console.error("docs/http-api.md is not up to date: node scripts/http-api.ts --write");
    process.exitCode = 1;
  }
}
