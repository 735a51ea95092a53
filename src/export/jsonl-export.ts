import type { Redactor } from "../redaction/redactor.ts";
import type { Session } from "../session/session.ts";
import { safeJson } from "../view/safe-text.ts";
import type { ExportPlan } from "./export-plan.ts";
import { exportedEntries } from "./exported-entries.ts";

/** Id of the entry that leads Pi to the leaf when another branch stands last in the file. */
const END = "export-end";

/** A session file that Pi opens, line by line: own state left out, what hung under it hung higher. */
export async function* jsonlExport(
  session: Session,
  plan: ExportPlan,
  redactor: Redactor | null,
): AsyncGenerator<string, void, undefined> {
  const line = (value: unknown): string => `${safeJson(JSON.stringify(value))}\n`;
  const { branchline: _format, crc: _crc, ...rest } = session.header;
  const header = { ...rest, version: 3 };
  yield line(redactor === null ? header : redactor.data(header, "header"));
  const ids: string[] = [];
  for await (const { entry } of exportedEntries(session, plan, redactor)) {
    yield line(entry);
    ids.push(entry.id);
  }
  const last = ids.length - 1;
  if (plan.scope === "path") yield* otherLabels({ session, plan, redactor, line, ids });
  else if (plan.leaf !== last) {
    // Pi continues below the last entry of a file.
    const parentId = ids[plan.leaf] ?? null;
    const timestamp = plan.entries[last]?.timestamp;
    yield line({ type: "custom", id: END, parentId, timestamp, customType: "branchline-export" });
  }
}

interface LabelParts {
  readonly session: Session;
  readonly plan: ExportPlan;
  readonly redactor: Redactor | null;
  readonly line: (value: unknown) => string;
  readonly ids: readonly string[];
}

/** Labels count session-wide; those that were given elsewhere than on this path come along. */
function* otherLabels({ session, plan, redactor, line, ids }: LabelParts): Generator<string> {
  let parentId = ids.at(-1) ?? null;
  const exported = new Set(plan.entries.map(({ id }) => id));
  for (const { entryId, targetId, label, timestamp } of session.tree.labels().values()) {
    if (!exported.has(targetId) || exported.has(entryId)) continue;
    const target = ids[plan.placeOf(targetId)] ?? targetId;
    const row = { type: "label", id: entryId, parentId, timestamp, targetId: target, label };
    yield line(redactor === null ? row : redactor.entry(row));
    parentId = entryId;
  }
}
