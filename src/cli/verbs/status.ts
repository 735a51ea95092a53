import { BranchlineError } from "../../errors.ts";
import { entryKind, entryPreview } from "../../session/entry-preview.ts";
import type { Session } from "../../session/session.ts";
import { safeLine } from "../../view/safe-text.ts";
import { type Piece, styled } from "../color.ts";
import { counted } from "../counted.ts";
import { type PlaceReport, placeNotes, placeReport } from "../place-notes.ts";
import { branchTitle, styleOfKind } from "../tree-text.ts";
import type { Call, Verb } from "../verb.ts";
import { displayWidth, fit, truncate } from "../width.ts";

/** An answer that needs all of the session; null while only its end was read. */
function known<T>(ask: () => T): T | null {
  try {
    return ask();
  } catch (error) {
    if (BranchlineError.is(error, "SESSION_UNVERIFIED")) return null;
    throw error;
  }
}

/** The state of a session: the documented JSON shape, and what only text output shows. */
async function stateOf(session: Session, place: PlaceReport) {
  const { leaf, position } = session;
  const context = await session.context();
  const entry = position === null ? undefined : await session.store.get(position);
  const { tree, verified } = session;
  const json = {
    session: session.id,
    path: session.file,
    name: known(() => tree.name()),
    cwd: session.header.cwd,
    branch: known(() => {
      return { id: session.branch, name: tree.branch(session.branch)?.name ?? null };
    }),
    leaf,
    position,
    preview: entry === undefined ? null : entryPreview(entry),
    entries: known(() => tree.size),
    branches: known(() => tree.branches().filter((one) => !one.archived).length),
    model: context.model,
    thinkingLevel: context.thinkingLevel,
    tokens: context.tokens,
    usage: leaf === null ? NO_USAGE : known(() => tree.get(leaf)?.fold.usage ?? NO_USAGE),
    readOnly: session.readOnly,
    place,
    problems: verified ? session.store.problems.length : null,
    verified,
    unproven: context.unproven.filter((name) => name !== "activeTools"),
  };
  return { json, entry, messages: context.messages.length };
}

const NO_USAGE = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, cost: 0 };

type State = Awaited<ReturnType<typeof stateOf>>;

function leafLine({ json, entry }: State, columns: number): readonly Piece[] {
  if (entry === undefined) return ["leaf     ", styled("leaf", "root (before the first entry)")];
  const kind = entryKind(entry);
  const preview = truncate(safeLine(json.preview ?? ""), Math.max(20, columns - 32));
  const id = styled("id", entry.id.slice(0, 12));
  return ["leaf     ", id, " ", styled(styleOfKind(kind), kind), " ", preview];
}

function branchLine(id: string, count: number | null, session: Session): readonly Piece[] {
  const branch = session.tree.branch(id);
  const title = branch === undefined ? id : branchTitle(branch);
  return ["branch   ", styled("branch", safeLine(title)), `  of ${count}`];
}

/** The session stays open to everything; only its folder is elsewhere now (F014, F104). */
function movedLine(cwd: string, columns: number): readonly Piece[] {
  return ["project  ", styled("warning", `not there: ${truncate(safeLine(cwd), columns - 20)}`)];
}

const END_ONLY = "from the end of the session; `branchline tree` reads all of it";

function* lines(state: State, session: Session, call: Call): Iterable<readonly Piece[]> {
  const { json, messages } = state;
  const { model, tokens, usage, readOnly } = json;
  const noName = json.verified ? "(no name)" : "(name not read)";
  yield [styled("strong", safeLine(json.name ?? noName)), "  ", styled("id", session.id)];
  if (json.branch !== null) yield branchLine(json.branch.id, json.branches, session);
  yield leafLine(state, call.out.columns);
  const modelText = model === null ? "no model yet" : `${model.provider}/${model.modelId}`;
  const likely = json.unproven.length === 0 ? "" : ` (most likely: ${json.unproven.join(", ")})`;
  yield [safeLine(`model    ${modelText}, thinking ${json.thinkingLevel}${likely}`)];
  yield [`context  ${counted(messages, "message")}, about ${counted(tokens, "token")}`];
  if (usage !== null) yield [`cost     $${usage.cost.toFixed(4)} on this path`];
  if (!json.verified) yield [styled("faint", END_ONLY)];
  if (readOnly !== null) yield [styled("warning", `read-only: ${readOnly}`)];
  if (json.place.cwdMissing) yield movedLine(json.cwd, call.out.columns);
  yield [];
  yield* nextSteps(call.sessionReference, json);
}

function* nextSteps(
  reference: string | undefined,
  { session, place }: State["json"],
): Iterable<readonly Piece[]> {
  const argument = reference === undefined ? "" : ` ${reference}`;
  const option = reference === undefined ? "" : ` -s ${reference}`;
  const steps: readonly (readonly [string, string])[] = [
    [`branchline tree${argument}`, "where the conversation went"],
    [`branchline context${argument}`, "what the model sees now"],
    [`branchline switch REV${option}`, "go on from another entry"],
    ...(place.cwdMissing
      ? [
          [
            `branchline relocate ${reference ?? session.slice(0, 18)} DIR`,
            "where the project is now",
          ] as const,
        ]
      : []),
  ];
  const width = Math.max(...steps.map(([command]) => displayWidth(safeLine(command))));
  for (const [command, what] of steps) {
    yield [styled("strong", fit(safeLine(command), width)), styled("faint", `  ${what}`)];
  }
}

/** No verb: where am I? */
export const statusVerb: Verb = {
  name: "status",
  summary: "where this folder's newest session stands (also without any verb)",
  example: "branchline status last",
  arguments: [{ name: "session", about: "which session", kind: "session" }],
  options: [],
  async run(call) {
    const session = await call.sessions.open(call.sessionReference, { tailFirst: true });
    const lies = await call.sessions.home.store.placeOf(session.file ?? "");
    const place = await placeReport(lies, session.header.cwd);
    const state = await stateOf(session, place);
    call.out.either(state.json, () => lines(state, session, call));
    for (const note of placeNotes(place)) call.out.talk(styled("warning", safeLine(note)));
    return 0;
  },
};
