import { existsSync } from "node:fs";
import { type FileHandle, open, readFile } from "node:fs/promises";
import path from "node:path";
import {
  EXPORT_FORMATS,
  type ExportFormat,
  exportSession,
  isRedactedByDefault,
  reviewSession,
} from "../../export/export.ts";
import type { PageOptions } from "../../export/html-export.ts";
import { localPerson } from "../../export/local-person.ts";
import type { RedactionReview } from "../../redaction/redaction-review.ts";
import type { RedactionOptions } from "../../redaction/redactor.ts";
import { resolveRevision } from "../../session/revision.ts";
import type { Session } from "../../session/session.ts";
import { type Piece, styled } from "../color.ts";
import { counted } from "../counted.ts";
import { PACKAGE_FOLDER } from "../package-folder.ts";
import { usage } from "../usage.ts";
import type { Call, Verb } from "../verb.ts";
import { VERSION } from "../version.ts";

/** Findings that a review lists as text; JSON has all. */
const LISTED = 50;

function formatOf(call: Call): ExportFormat {
  const text = call.text("to");
  const format = EXPORT_FORMATS.find((one) => one === text);
  if (format !== undefined) return format;
  throw usage("The format is missing.", "Say --to html, --to md or --to jsonl.");
}

/** What is taken out: the person's folders and names are those of this machine. */
function redactionOf(call: Call, session: Session): RedactionOptions {
  const home = call.io.env.HOME;
  const person = localPerson(home === undefined || home === "" ? undefined : home);
  return { ...person, cwd: String(session.header.cwd ?? ""), keep: call.texts("keep") };
}

function isRedacted(call: Call, to: ExportFormat): boolean {
  if (call.has("redact") && call.has("no-redact")) {
    throw usage("--redact and --no-redact exclude each other.");
  }
  return call.has("redact") || (isRedactedByDefault(to) && !call.has("no-redact"));
}

/** The page that `npm run build -w web` made. Throws USAGE where it is not there. */
async function pageOf(): Promise<PageOptions> {
  const file = path.join(PACKAGE_FOLDER, "web/dist/export.html");
  if (!existsSync(file)) {
    throw usage("The page of exports is not built.", "Run `npm run build -w web` once.");
  }
  return { template: await readFile(file, "utf8"), version: VERSION, now: new Date() };
}

/** A new file that only its owner can read (S14). Throws USAGE where there is one already. */
async function newFile(call: Call, name: string): Promise<FileHandle> {
  const file = path.resolve(call.io.cwd, name);
  try {
    return await open(file, "wx", 0o600);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    if (code === "EEXIST") throw usage(`${name} is there already.`, "Name another file.");
    throw usage(`${name} cannot be written (${code}).`);
  }
}

function* reviewLines(review: RedactionReview): Generator<readonly Piece[]> {
  const { total, entries, changed, kinds, findings } = review;
  yield [`${total} places in ${changed} of ${entries} entries would be redacted.`];
  for (const { kind, count, distinct } of kinds) {
    yield ["  ", styled("tool", kind), `  ${count}`, styled("faint", ` (${distinct} different)`)];
  }
  for (const { kind, masked, count, entry, place } of findings.slice(0, LISTED)) {
    const where = entry === null ? place : `${entry.slice(0, 12)} ${place}`;
    yield [styled("id", kind), `  ${masked}  ×${count}  `, styled("faint", where)];
  }
  if (findings.length > LISTED) yield [styled("faint", `… ${findings.length - LISTED} more`)];
}

async function write(call: Call, session: Session, at: string | null): Promise<void> {
  const to = formatOf(call);
  const name = call.text("out");
  const redacted = isRedacted(call, to);
  const pieces = exportSession(session, {
    to,
    at,
    scope: call.has("all") ? "all" : "path",
    redaction: redacted ? redactionOf(call, session) : null,
    ...(to === "html" ? { page: await pageOf() } : {}),
  });
  if (name === undefined) {
    if (to === "html" && call.io.isTTY) {
      throw usage("A page is no text for a terminal.", "Say --out FILE or > FILE.");
    }
    for await (const piece of pieces) call.io.stdout.write(piece);
  } else {
    const file = await newFile(call, name);
    try {
      for await (const piece of pieces) await file.write(piece);
    } finally {
      await file.close();
    }
  }
  const { link } = session.store;
  if (link !== undefined) {
    const read = counted(link.entries, "entry", "entries");
    call.out.talk(`${read} of it are read from session ${link.session}, which it is linked to`);
  }
  if (!redacted && isRedactedByDefault(to)) {
    call.out.talk(styled("error", "not redacted: "), "secrets, paths and names are in it");
  }
}

/** Writes a path, or all branches, out for other programs or people. */
export const exportVerb: Verb = {
  name: "export",
  summary: "write the path to the leaf as a page, as Markdown or as a Pi session file",
  example: "branchline export last --to html --out talk.html",
  arguments: [{ name: "session", about: "which session", kind: "session" }],
  options: [
    { name: "to", value: "format", choices: EXPORT_FORMATS, about: "html, md or jsonl" },
    { name: "at", value: "rev", about: "the path to this entry instead" },
    { name: "all", about: "all branches (html and jsonl)" },
    { name: "redact", about: "take secrets, paths and names out (html and md: always)" },
    { name: "no-redact", about: "leave them in" },
    { name: "keep", value: "kind", repeat: true, about: "a kind of finding that stays" },
    { name: "review", about: "say what would be taken out, write nothing" },
    { name: "out", value: "file", about: "a new file, readable by you only" },
  ],
  async run(call) {
    const isReview = call.has("review");
    if (!isReview) formatOf(call);
    const session = await call.sessions.open(call.sessionReference);
    const at = await resolveRevision(session, call.text("at") ?? "@");
    if (!isReview) {
      await write(call, session, at);
      return 0;
    }
    const redaction = redactionOf(call, session);
    const review = await reviewSession(session, {
      at,
      scope: call.has("all") ? "all" : "path",
      redaction,
    });
    call.out.either({ session: session.id, ...review }, () => reviewLines(review));
    return 0;
  },
};
