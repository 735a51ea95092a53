import type { OperationRow } from "branchline/protocol/operation.ts";
import type { MessageKey } from "../i18n/en.ts";

/** What a line of the operation log shows. */
export interface OperationWords {
  /** Text key of the kind. */
  readonly kind: MessageKey;
  /** What it was done to: ids, names. The server's own line where its form is not known. */
  readonly about: string;
}

const KINDS: Readonly<Record<string, MessageKey>> = {
  branch: "op.branch",
  compaction: "op.compaction",
  edit: "op.edit",
  label: "op.label",
  move: "op.move",
  name: "op.name",
  uncompact: "op.uncompact",
};

/** Takes the English verb off where the kind says it already; everything else stays as it came. */
export function operationWords({ kind, summary }: OperationRow): OperationWords {
  const moved = /^move from (?:branch )?(\S+|".*") to (?:branch )?(\S+|".*")$/.exec(summary);
  const [, from, to] = moved ?? [];
  const start = `${kind} `;
  const rest = summary.startsWith(start) ? summary.slice(start.length) : summary;
  const quoted = rest.replace(/"([^"]*)"$/, "“$1”");
  return {
    kind: KINDS[kind] ?? "op.other",
    about: from === undefined ? quoted : `${from} → ${to}`,
  };
}
