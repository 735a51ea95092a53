import type { DiffTotals, DiffView } from "branchline/protocol/operation.ts";
import type { ReactElement } from "react";
import type { MessageKey } from "../i18n/en.ts";
import { costText, countText, durationText } from "../i18n/format.ts";
import { useText } from "../i18n/language.ts";
import { Empty } from "../parts/notice.tsx";

/** Files that either side touched. */
export function FileTable({ diff }: { readonly diff: DiffView }): ReactElement {
  const t = useText();
  const files = [...new Set([...diff.a.files, ...diff.b.files])].toSorted();
  if (files.length === 0) return <Empty title={t("compare.noFiles")} />;
  return (
    <div className="table-page">
      <table>
        <thead>
          <tr>
            <th scope="col">{t("compare.files")}</th>
            <th scope="col">{t("compare.left")}</th>
            <th scope="col">{t("compare.right")}</th>
          </tr>
        </thead>
        <tbody>
          {files.map((file) => (
            <tr key={file}>
              <th scope="row">
                <code>{file}</code>
              </th>
              <td>{diff.a.files.includes(file) ? "●" : "–"}</td>
              <td>{diff.b.files.includes(file) ? "●" : "–"}</td>
            </tr>
          ))}
        </tbody>
      </table>
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

/** The two columns in numbers. */
export function NumberTable({ diff }: { readonly diff: DiffView }): ReactElement {
  const t = useText();
  return (
    <div className="table-page">
      <table>
        <thead>
          <tr>
            <th scope="col">{t("compare.mode.numbers")}</th>
            <th scope="col">{t("compare.left")}</th>
            <th scope="col">{t("compare.right")}</th>
          </tr>
        </thead>
        <tbody>
          {LINES.map(({ key, show }) => (
            <tr key={key}>
              <th scope="row">{t(key)}</th>
              <td className="numbers">{show(diff.a)}</td>
              <td className="numbers">{show(diff.b)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
