import { useVirtualizer } from "@tanstack/react-virtual";
import { type ReactElement, useEffect, useRef, useState } from "react";
import { IS_EXPORT } from "../app/page-kind.ts";
import { tokensText } from "../i18n/format.ts";
import { useText } from "../i18n/language.ts";
import { Icon } from "../parts/icon.tsx";
import { messageRole, roleName } from "../parts/message-role.ts";
import { RoleMark } from "../parts/role-mark.tsx";
import type { ContextLine } from "./context-lines.ts";

/** The exact messages in sending order, with greyed lines for what is not sent. */
export function ContextList(parts: {
  readonly lines: readonly ContextLine[];
  /** Index of the part to go to. */
  readonly target: number | undefined;
  readonly onPick: (entry: string) => void;
  readonly onHide: (entry: string) => void;
}): ReactElement {
  const t = useText();
  const { lines, target, onPick, onHide } = parts;
  const scroller = useRef<HTMLDivElement>(null);
  const list = useVirtualizer({
    count: lines.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => 44,
    overscan: 8,
  });
  useEffect(() => {
    if (target === undefined) return;
    const at = lines.findIndex((line) => line.kind === "part" && line.index === target);
    if (at >= 0) list.scrollToIndex(at, { align: "start" });
  }, [target, lines, list]);
  return (
    <section
      ref={scroller}
      className="context-scroll"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling list must be reachable by keys
      tabIndex={0}
      aria-label={t("context.messages")}
    >
      <div className="rows" style={{ height: list.getTotalSize() }}>
        {list.getVirtualItems().map(({ index, key, start }) => {
          const line = lines[index];
          return (
            <div
              key={key}
              ref={list.measureElement}
              data-index={index}
              className="row-place"
              style={{ transform: `translateY(${start}px)` }}
            >
              {line?.kind === "part" && <PartLine line={line} onPick={onPick} onHide={onHide} />}
              {line?.kind === "unsent" && <UnsentLine line={line} />}
            </div>
          );
        })}
      </div>
    </section>
  );
}

function PartLine(parts: {
  readonly line: Extract<ContextLine, { kind: "part" }>;
  readonly onPick: (entry: string) => void;
  readonly onHide: (entry: string) => void;
}): ReactElement {
  const t = useText();
  const { part, index } = parts.line;
  const [isOpen, setOpen] = useState(false);
  return (
    <div className={`context-part part-edge-${part.part}`} data-part={part.entry}>
      <button
        type="button"
        className="context-line"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        <span className="quiet small numbers">{index + 1}</span>
        <RoleMark of={messageRole(part.role)} />
        <span className="small context-role" title={part.role}>
          {roleName(part.role, t)}
        </span>
        {part.held && (
          <span className="chip warn" title="branchline ask --agree">
            {t("context.held")}
          </span>
        )}
        {part.agreed && <span className="chip ok">{t("context.agreed")}</span>}
        <span className={isOpen ? "context-text open" : "context-text"}>{part.text}</span>
        <span className="quiet small numbers">{tokensText(part.tokens)}</span>
      </button>
      {isOpen && (
        <p className="context-meta quiet small">
          <button type="button" className="link" onClick={() => parts.onPick(part.entry)}>
            {part.entry}
          </button>
          {!IS_EXPORT && (
            <button type="button" className="link" onClick={() => parts.onHide(part.entry)}>
              {t("action.hide")}
            </button>
          )}
          {part.prefix !== "" && (
            <span title={t("context.prefix")}>
              {t("context.prefix")} <code>{part.prefix}</code>
            </span>
          )}
        </p>
      )}
    </div>
  );
}

function UnsentLine({
  line,
}: {
  readonly line: Extract<ContextLine, { kind: "unsent" }>;
}): ReactElement {
  const t = useText();
  const [isOpen, setOpen] = useState(false);
  const { entries, why } = line;
  return (
    <div className="unsent">
      <button
        type="button"
        className="context-line"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        <Icon name={isOpen ? "down" : "right"} />
        <span>{t("context.unsentRun", { n: entries.length, why: t(`context.why.${why}`) })}</span>
      </button>
      {isOpen && (
        <ol>
          {entries.slice(0, 100).map((entry) => (
            <li key={entry.entry}>{entry.text || entry.entry}</li>
          ))}
          {entries.length > 100 && <li>… +{entries.length - 100}</li>}
        </ol>
      )}
    </div>
  );
}
