import type { ReactElement } from "react";

/** Outlines on a 16 px grid, drawn for this page. */
const PATHS = {
  library: "M3 3.5h10M3 8h10M3 12.5h6",
  workspace: "M4.5 2v12M4.5 9.5c0-3.5 7-2 7-6M11.5 3.5v-1",
  context: "M2.5 4h11M2.5 8h7M2.5 12h9M12 6.5v3",
  compare: "M2.5 3h4v10h-4zM9.5 3h4v10h-4z",
  health: "M1.5 8h3l2-4.5 3 9 2-4.500h3",
  search: "M7 11.500a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9ZM10.3 10.3 14 14",
  sun: "M8 10.800a2.8 2.8 0 1 0 0-5.6 2.8 2.8 0 0 0 0 5.600ZM8 1.500v1.300M8 13.200v1.300M1.5 8h1.300M13.2 8h1.300M3.4 3.400l.9.9M11.7 11.700l.9.9M3.4 12.600l.9-.9M11.7 4.300l.9-.9",
  moon: "M13 9.500A5.5 5.5 0 0 1 6.5 3 5.5 5.5 0 1 0 13 9.500Z",
  close: "M3.5 3.500l9 9M12.5 3.500l-9 9",
  right: "M6 3.5 10.5 8 6 12.5",
  left: "M10 3.5 5.5 8l4.5 4.5",
  down: "M3.5 6 8 10.5 12.5 6",
  more: "M3.5 8h.01M8 8h.01M12.5 8h.01",
  send: "M8 13.500v-11M3.5 7 8 2.5 12.5 7",
  stop: "M4 4h8v8H4z",
  pin: "M6 2.500h4l-.5 4 2.5 2.500H4l2.5-2.500ZM8 9v5",
  plus: "M8 3v10M3 8h10",
  undo: "M6 3 2.5 6.5 6 10M2.5 6.500h7a4 4 0 0 1 0 8H6",
  redo: "M10 3l3.5 3.500L10 10M13.5 6.500h-7a4 4 0 0 0 0 8H10",
  copy: "M5.5 5.500h8v8h-8zM10.5 5.500v-3h-8v8h3",
  key: "M2 4.500h12v7H2zM4.5 7h.01M7 7h.01M9.5 7h.01M5 9.500h6",
  archive: "M2.5 3h11v3h-11zM3.5 6v7h9V6M6.5 8.500h3",
  trash: "M3 4.500h10M6.5 4V2.500h3V4M4.5 4.500l.5 9h6l.5-9",
  edit: "M3 13l.7-3L10.5 3.200l2.3 2.300L6 12.300Z",
  check: "M3 8.5 6.5 12 13 4.5",
  eye: "M1.5 8S4 3.5 8 3.5 14.5 8 14.5 8 12 12.5 8 12.5 1.5 8 1.5 8ZM8 9.800a1.8 1.8 0 1 0 0-3.6 1.8 1.8 0 0 0 0 3.600Z",
  folder: "M2 4h4.500l1.5 1.500h6V13H2z",
  heat: "M5 2.500v11M11 2.500v5M11 10.500v3",
  swap: "M4 5.500h9L10.5 3M12 10.500H3L5.5 13",
  fork: "M5 14V6M5 6 2.5 2.500M5 9c0-4 6.5-2 6.5-6.500",
  lock: "M3.5 7.500h9v6h-9zM5.5 7.500V5a2.500 2.500 0 0 1 5 0v2.500",
  unread: "M2 3.500h12v9H2zM2 4l6 5 6-5",
  filter: "M2.5 4h11M4.5 8h7M6.5 12h3",
  language:
    "M2.5 4h7M6 2.500V4M8.5 4C8 7.5 5.5 9.5 2.5 10.500M4 6.500c.8 1.8 2.5 3 4.5 3.500M8.5 14l3-7 3 7M9.5 12h4",
} as const;

/** Name of an icon. */
export type IconName = keyof typeof PATHS;

/** One icon in the colour of the text; it says nothing to screen readers, its button does. */
export function Icon({ name }: { readonly name: IconName }): ReactElement {
  return (
    <svg className="icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  );
}
