import type { DiffTotals } from "branchline/protocol/operation.ts";
import type { ReactElement, ReactNode } from "react";
import type { MessageKey } from "../i18n/en.ts";
import { costText, countText, durationText } from "../i18n/format.ts";
import { useText } from "../i18n/language.ts";
import { Empty } from "../parts/notice.tsx";
import type { CompareView } from "./compare-model.ts";
import { LETTERS } from "./compare-view.ts";

/** Files that any column touched. */
export function FileTable({ view }: { readonly view: CompareView }): ReactElement {
  const t = useText();
  const { columns } = view;
  const files = [...new Set(columns.flatMap((column) => column.files))].toSorted();
  const isCut = columns.some(({ filesTruncated }) => filesTruncated === true);
  if (files.length === 0) return <Empty title={t("compare.noFiles")} />;
  return (
    <div className="table-page">
      {isCut && <p className="cut-note small">{t("compare.filesCut")}</p>}
      <ColumnTable title={t("compare.files")} view={view}>
        {files.map((file) => (
          <tr key={file}>
            <th scope="row">
              <code>{file}</code>
            </th>
            {columns.map((column, at) => (
              <td key={LETTERS[at]}>
                {column.files.includes(file) ? (
                  <>
                    <span aria-hidden="true">●</span>
                    <span className="only-spoken">{t("app.yes")}</span>
                  </>
                ) : (
                  "–"
                )}
              </td>
            ))}
          </tr>
        ))}
      </ColumnTable>
    </div>
  );
}

const LINES: readonly {
  readonly key: MessageKey;
  readonly show: (totals: DiffTotals) => string;
}[] = [
  { key: "compare.turns", show: ({ turns }) => countText(turns) },
  { key: "compare.entries", show: ({ entries }) => countText(entries) },
  { key: "compare.tokens", show: ({ tokens }) => countText(tokens) },
  { key: "compare.cost", show: ({ cost }) => costText(cost) },
  { key: "compare.time", show: ({ durationMs }) => durationText(durationMs) },
  { key: "compare.stop", show: ({ stopReason }) => stopReason ?? "–" },
  { key: "compare.labels", show: ({ labels }) => labels.join(", ") || "–" },
];

/** The columns in numbers. */
export function NumberTable({ view }: { readonly view: CompareView }): ReactElement {
  const t = useText();
  return (
    <div className="table-page">
      <ColumnTable title={t("compare.mode.numbers")} view={view}>
        {LINES.map(({ key, show }) => (
          <tr key={key}>
            <th scope="row">{t(key)}</th>
            {view.columns.map((column, at) => (
              <td key={LETTERS[at]} className="numbers">
                {show(column)}
              </td>
            ))}
          </tr>
        ))}
      </ColumnTable>
    </div>
  );
}

/** A table with one column for each branch. */
function ColumnTable(parts: {
  readonly title: string;
  readonly view: CompareView;
  readonly children: ReactNode;
}): ReactElement {
  const t = useText();
  return (
    <table>
      <thead>
        <tr>
          <th scope="col">{parts.title}</th>
          {parts.view.columns.map((_, at) => (
            <th key={LETTERS[at]} scope="col">
              {t("compare.column", { name: LETTERS[at] ?? "" })}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>{parts.children}</tbody>
    </table>
  );
}
