import { type KeyboardEvent, type ReactElement, useEffect, useRef, useState } from "react";
import { useText } from "../i18n/language.ts";
import { Dialog } from "../parts/dialog.tsx";
import { overlay } from "./overlays.ts";
import { type PaletteItem, usePaletteItems } from "./palette-items.ts";

/** The command palette: verbs, sessions, labels, hits. */
export function Palette(): ReactElement {
  const t = useText();
  const [query, setQuery] = useState("");
  const [at, setAt] = useState(0);
  const items = usePaletteItems(query);
  const run = (item: PaletteItem | undefined): void => {
    if (item === undefined) return;
    overlay.set(null);
    item.run();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.nativeEvent.isComposing) return;
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (step !== 0) {
      event.preventDefault();
      setAt(Math.max(0, Math.min(items.length - 1, at + step)));
    } else if (event.key === "Enter") {
      event.preventDefault();
      run(items[at]);
    }
  };
  return (
    <Dialog className="palette" title={t("app.paletteTitle")} onClose={() => overlay.set(null)}>
      <input
        className="field"
        role="combobox"
        aria-expanded="true"
        aria-controls="palette-list"
        aria-activedescendant={items[at] ? `palette-${at}` : undefined}
        autoFocus
        value={query}
        placeholder={t("palette.placeholder")}
        aria-label={t("palette.placeholder")}
        onChange={(event) => {
          setQuery(event.target.value);
          setAt(0);
        }}
        onKeyDown={onKeyDown}
      />
      <PaletteList items={items} at={at} onRun={run} />
    </Dialog>
  );
}

function PaletteList(parts: {
  readonly items: readonly PaletteItem[];
  readonly at: number;
  readonly onRun: (item: PaletteItem) => void;
}): ReactElement {
  const t = useText();
  const { items, at, onRun } = parts;
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    list.current?.querySelector(`#palette-${at}`)?.scrollIntoView({ block: "nearest" });
  }, [at]);
  return (
    <div
      ref={list}
      id="palette-list"
      role="listbox"
      aria-label={t("app.paletteTitle")}
      className="palette-list"
    >
      {items.length === 0 && <p className="quiet">{t("palette.none")}</p>}
      {items.map((item, index) => (
        <PaletteLine
          key={item.id}
          item={item}
          index={index}
          isChosen={index === at}
          isFirst={items[index - 1]?.group !== item.group}
          onRun={onRun}
        />
      ))}
    </div>
  );
}

function PaletteLine(parts: {
  readonly item: PaletteItem;
  readonly index: number;
  readonly isChosen: boolean;
  readonly isFirst: boolean;
  readonly onRun: (item: PaletteItem) => void;
}): ReactElement {
  const t = useText();
  const { item, index, isChosen, isFirst } = parts;
  return (
    <>
      {isFirst && (
        <div className="palette-group" role="presentation">
          {t(item.group)}
        </div>
      )}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: the field above has the keys */}
      {/* biome-ignore lint/a11y/useFocusableInteractive: focus stays in the field above */}
      <div
        id={`palette-${index}`}
        role="option"
        aria-selected={isChosen}
        className={isChosen ? "palette-item chosen" : "palette-item"}
        onClick={() => parts.onRun(item)}
      >
        <span className="palette-label">{item.label}</span>
        {item.detail && <span className="quiet small palette-detail">{item.detail}</span>}
        {item.hint && <kbd>{item.hint}</kbd>}
      </div>
    </>
  );
}
