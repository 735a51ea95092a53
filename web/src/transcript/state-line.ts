import type { TranscriptRow } from "branchline/protocol/tree.ts";
import type { Translate } from "../i18n/language.ts";
import { fieldsOf, textOf } from "./entry-content.ts";

/** What an entry that is no message says, in one line. */
export function stateLine(row: TranscriptRow, t: Translate): string {
  const entry = fieldsOf(row.entry);
  const target = textOf(entry.targetId).slice(0, 8);
  switch (row.type) {
    case "model_change":
      return t("transcript.modelChange", {
        name: `${textOf(entry.provider)}/${textOf(entry.modelId)}`,
      });
    case "thinking_level_change":
      return t("transcript.thinkingChange", { name: textOf(entry.thinkingLevel) });
    case "active_tools_change":
      return t("transcript.toolsChange", { name: row.text });
    case "session_info":
      return t("transcript.nameChange", { name: textOf(entry.name) });
    case "label":
      return entry.label === undefined
        ? t("transcript.labelCleared")
        : t("transcript.labelChange", { name: textOf(entry.label) });
    case "context_edit":
      return t(entry.replacement === null ? "transcript.editHidden" : "transcript.editReplaced", {
        id: target,
      });
    default:
      return row.kind === "g"
        ? t("transcript.gap")
        : row.text || t("transcript.unknown", { type: row.type });
  }
}
