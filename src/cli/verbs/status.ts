import type { Session } from "../../session/session.ts";
import { type Piece, styled } from "../color.ts";
import { entryKind, entryPreview } from "../entry-preview.ts";
import { safeLine } from "../safe-text.ts";
import { branchTitle, styleOfKind } from "../tree-text.ts";
import type { Call, Verb } from "../verb.ts";
import { displayWidth, fit, truncate } from "../width.ts";

/** What the state of a session is, in the documented JSON shape. */
async function describe(session: Session): Promise<Record<string, unknown>> {
  const { tree, leaf, position } = session;
  const branch = tree.branch(session.branch);
  const context = await session.context();
  const entry = position === null ? undefined : await session.store.get(position);
  const fold = leaf === null ? undefined : tree.get(leaf)?.fold;
  return {
    session: session.id,
    path: session.file,
    name: tree.name(),
    cwd: session.header.cwd,
    branch: { id: session.branch, name: branch?.name ?? null },
    leaf,
    position,
    preview: entry === undefined ? null : entryPreview(entry),
    entries: tree.size,
    branches: tree.branches().filter((one) => !one.archived).length,
    model: context.model,
    thinkingLevel: context.thinkingLevel,
    tokens: context.tokens,
    usage: fold?.usage ?? { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, cost: 0 },
    readOnly: session.readOnly,
    problems: session.store.problems.length,
  };
}

async function* lines(session: Session, call: Call): AsyncIterable<readonly Piece[]> {
  const { tree, position } = session;
  const context = await session.context();
  const branch = tree.branch(session.branch);
  const entry = position === null ? undefined : await session.store.get(position);
  const fold = session.leaf === null ? undefined : tree.get(session.leaf)?.fold;
  const name = tree.name() ?? "(no name)";
  const others = tree.branches().filter((one) => !one.archived).length;
  const reference = call.sessionReference;
  const argument = reference === undefined ? "" : ` ${reference}`;
  const option = reference === undefined ? "" : ` -s ${reference}`;
  yield [styled("strong", safeLine(name)), "  ", styled("id", session.id)];
  const title = branch === undefined ? session.branch : branchTitle(branch);
  yield ["branch   ", styled("branch", safeLine(title)), `  of ${others}`];
  if (entry === undefined) yield ["leaf     ", styled("leaf", "root (before the first entry)")];
  else {
    const kind = entryKind(entry);
    const preview = truncate(safeLine(entryPreview(entry)), Math.max(20, call.out.columns - 32));
    const id = styled("id", entry.id.slice(0, 12));
    yield ["leaf     ", id, " ", styled(styleOfKind(kind), kind), " ", preview];
  }
  const model = context.model;
  const modelText = model === null ? "no model yet" : `${model.provider}/${model.modelId}`;
  yield [safeLine(`model    ${modelText}, thinking ${context.thinkingLevel}`)];
  const count = `${context.messages.length} messages, about ${context.tokens.toLocaleString("en-US")} tokens`;
  yield [`context  ${count}`];
  yield [`cost     $${(fold?.usage.cost ?? 0).toFixed(4)} on this path`];
  if (session.readOnly !== null) yield [styled("warning", `read-only: ${session.readOnly}`)];
  yield [];
  const steps: readonly (readonly [string, string])[] = [
    [`branchline tree${argument}`, "where the conversation went"],
    [`branchline context${argument}`, "what the model sees now"],
    [`branchline switch REV${option}`, "go on from another entry"],
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
    const session = await call.sessions.open(call.sessionReference);
    if (call.out.json) call.out.object(await describe(session));
    else for await (const line of lines(session, call)) call.out.line(...line);
    return 0;
  },
};
