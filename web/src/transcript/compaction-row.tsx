import type { EntryPreview, TranscriptRow } from "branchline/protocol/tree.ts";
import { type ReactElement, useState } from "react";
import { readOriginals } from "../api/api.ts";
import { useSignal } from "../app/signal.ts";
import { tokensText } from "../i18n/format.ts";
import { useText } from "../i18n/language.ts";
import { uncompact } from "../model/session-actions.ts";
import type { SessionModel } from "../model/session-model.ts";
import { Button } from "../parts/button.tsx";
import { RoleMark, roleKey, roleOf } from "../parts/role-mark.tsx";
import { toastFailure } from "../parts/toast.tsx";
import { fieldsOf, textOf } from "./entry-content.ts";
import { TextBody } from "./text-body.tsx";

/** A compaction: its summary, the originals on demand, and the way back. */
export function CompactionRow(parts: {
  readonly model: SessionModel;
  readonly row: TranscriptRow;
}): ReactElement {
  const t = useText();
  const { model, row } = parts;
  const entry = fieldsOf(row.entry);
  const [originals, setOriginals] = useState<readonly EntryPreview[]>();
  const isReadOnly = typeof useSignal(model.state)?.readOnly === "string";
  const before = typeof entry.tokensBefore === "number" ? entry.tokensBefore : 0;
  const expand = async (): Promise<void> => {
    try {
      setOriginals((await readOriginals(model.id, row.id)).rows);
    } catch (error) {
      toastFailure(error);
    }
  };
  return (
    <div className="compaction">
      <p className="compaction-head">
        <RoleMark of="compaction" />
        {t("transcript.compacted", { n: tokensText(before) })}
      </p>
      <TextBody source={textOf(entry.summary)} />
      <div className="row">
        {originals === undefined ? (
          <Button onClick={() => void expand()}>{t("transcript.expand")}</Button>
        ) : (
          <Button onClick={() => setOriginals(undefined)}>{t("transcript.collapse")}</Button>
        )}
        {!isReadOnly && (
          <Button icon="undo" onClick={() => void uncompact(model, row.id)}>
            {t("transcript.uncompact")}
          </Button>
        )}
      </div>
      {originals && <Originals rows={originals} />}
    </div>
  );
}

/** The entries that a compaction stands for, short. */
export function Originals({ rows }: { readonly rows: readonly EntryPreview[] }): ReactElement {
  const t = useText();
  return (
    <ol className="originals">
      {rows.map((row) => (
        <li key={row.id}>
          <RoleMark of={roleOf(row.kind)} />
          <span className="quiet small">{t(roleKey(roleOf(row.kind)))}</span>
          <span className="original-text">{row.text}</span>
        </li>
      ))}
    </ol>
  );
}
