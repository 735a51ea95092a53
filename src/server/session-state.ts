import type { BranchRow, SessionState } from "../protocol/session.ts";
import type { Session } from "../session/session.ts";
import type { SessionSummary } from "../store/store.ts";
import { EMPTY_FOLD } from "../tree/fold.ts";
import type { ServerCore } from "./server-core.ts";
import type { SessionHost } from "./session-host.ts";

/** Everything small about an open session. */
export async function sessionState(core: ServerCore, host: SessionHost): Promise<SessionState> {
  const { session, store } = host;
  const { leaf, position, branch, tree } = session;
  const fold = (leaf === null ? undefined : tree.get(leaf))?.fold ?? EMPTY_FOLD;
  const row = await core.library.row(host.located, await summaryOf(core, host));
  const models = await core.models.list();
  return {
    row: { ...row, entries: tree.size, name: tree.name() },
    revision: host.revision,
    ...{ leaf, position, branch },
    branches: branchRows(session),
    labels: [...tree.labels().values()].map(({ targetId, label, timestamp }) => ({
      entry: targetId,
      text: label,
      timestamp,
    })),
    ...(await core.models.answering(session)),
    models,
    thinkingLevel: fold.thinkingLevel,
    activeTools: fold.activeTools,
    tokens: await host.tokensAt(leaf),
    verified: core.library.index === null,
    readOnly: host.located.root.kind === "samples" ? null : session.readOnly,
    run: core.runs.stateOf(host.id),
    queue: await core.runs.queueOf(host),
    parentSession: parentOf(session),
    problems: store.problems.length,
    permissions: core.runs.permissionsOf(host.id),
    seen: await core.library.seen.of(host.id),
  };
}

async function summaryOf(core: ServerCore, host: SessionHost): Promise<SessionSummary> {
  const indexed = await core.library.index?.sessions.session(host.located.path);
  return indexed?.summary ?? (await host.store.summary());
}

/** The branches and further tips. */
export function branchRows(session: Session): readonly BranchRow[] {
  return session.branches().map(({ id, name, head, entries, archived, kind }) => ({
    ...{ id, name, head, entries, archived },
    foreign: kind === "tip",
    active: id === session.branch,
  }));
}

function parentOf(session: Session): string | null {
  const parent: unknown = session.header.parentSession;
  return typeof parent === "string" ? parent : null;
}
