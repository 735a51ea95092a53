import { type ReactElement, useId, useState } from "react";
import { Icon, type IconName } from "./icon.tsx";

/** One line of a menu. */
export interface MenuItem {
  readonly label: string;
  readonly icon?: IconName;
  readonly hint?: string;
  readonly danger?: boolean;
  readonly run: () => void;
}

/** A button that opens a list of actions by the browser's popover. Items are made when it opens, so closed menus cost no elements. */
export function Menu(parts: {
  readonly label: string;
  readonly items: () => readonly MenuItem[];
}): ReactElement {
  const id = useId().replace(/[^\w-]/g, "");
  const [items, setItems] = useState<readonly MenuItem[]>([]);
  return (
    <span className="menu">
      <button
        type="button"
        className="icon-button"
        popoverTarget={`menu-${id}`}
        aria-label={parts.label}
        title={parts.label}
        onClick={(event) => place(event.currentTarget, `menu-${id}`)}
      >
        <Icon name="more" />
      </button>
      <div
        id={`menu-${id}`}
        popover="auto"
        className="menu-list"
        role="menu"
        onBeforeToggle={(event) => setItems(event.newState === "open" ? parts.items() : [])}
      >
        {items.map((item) => (
          <button
            key={item.label}
            type="button"
            role="menuitem"
            className={item.danger ? "menu-item danger" : "menu-item"}
            onClick={() => {
              document.getElementById(`menu-${id}`)?.hidePopover();
              item.run();
            }}
          >
            <span>{item.label}</span>
            {item.hint && <kbd>{item.hint}</kbd>}
          </button>
        ))}
      </div>
    </span>
  );
}

/** Under its button, inside the window. */
function place(button: HTMLElement, id: string): void {
  const list = document.getElementById(id);
  if (list === null) return;
  const box = button.getBoundingClientRect();
  list.style.left = `${Math.max(8, Math.min(box.left, innerWidth - 260))}px`;
  const below = innerHeight - box.bottom;
  if (below > 280) {
    list.style.top = `${box.bottom + 4}px`;
    list.style.bottom = "auto";
  } else {
    list.style.top = "auto";
    list.style.bottom = `${innerHeight - box.top + 4}px`;
  }
}
