import type { MouseEventHandler, ReactElement, ReactNode } from "react";
import { Icon, type IconName } from "./icon.tsx";

interface ButtonParts {
  readonly children: ReactNode;
  readonly onClick: MouseEventHandler<HTMLButtonElement>;
  readonly kind?: "plain" | "primary" | "danger";
  readonly icon?: IconName;
  readonly disabled?: boolean;
  readonly pressed?: boolean | undefined;
  readonly title?: string | undefined;
}

/** A button with a text. */
export function Button(parts: ButtonParts): ReactElement {
  const { children, onClick, kind = "plain", icon, disabled, pressed, title } = parts;
  return (
    <button
      type="button"
      className={`button ${kind}`}
      onClick={onClick}
      disabled={disabled}
      aria-pressed={pressed}
      title={title}
    >
      {icon && <Icon name={icon} />}
      <span>{children}</span>
    </button>
  );
}

/** A button that shows an icon only; `label` is its name and its tip. */
export function IconButton(parts: {
  readonly icon: IconName;
  readonly label: string;
  readonly onClick: MouseEventHandler<HTMLButtonElement>;
  readonly disabled?: boolean;
  readonly pressed?: boolean | undefined;
  readonly expanded?: boolean | undefined;
}): ReactElement {
  const { icon, label, onClick, disabled, pressed, expanded } = parts;
  return (
    <button
      type="button"
      className="icon-button"
      onClick={onClick}
      disabled={disabled}
      aria-label={label}
      aria-pressed={pressed}
      aria-expanded={expanded}
      title={label}
    >
      <Icon name={icon} />
    </button>
  );
}
