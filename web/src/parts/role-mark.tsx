import type { ReactElement } from "react";
import type { MessageKey } from "../i18n/en.ts";

/** Families of entries: one hue and one shape each. */
export type RoleName =
  | "user"
  | "assistant"
  | "tool"
  | "system"
  | "compaction"
  | "summary"
  | "state";

const OF_KIND: Readonly<Record<string, RoleName>> = {
  u: "user",
  a: "assistant",
  t: "tool",
  b: "tool",
  s: "system",
  q: "system",
  c: "compaction",
  m: "summary",
};

/** The family of a kind of entry; settings, labels and edits are `state`. */
export function roleOf(kind: string): RoleName {
  return OF_KIND[kind] ?? "state";
}

/** Text key of the name of a family. */
export function roleKey(role: RoleName): MessageKey {
  return `role.${role}`;
}

const OWN_NAMES: Readonly<Record<string, MessageKey>> = {
  o: "kind.o",
  k: "kind.k",
  n: "kind.n",
  l: "kind.l",
  v: "kind.v",
  x: "kind.x",
  b: "kind.b",
  q: "kind.q",
  g: "kind.g",
};

/** Text key of the name of one kind. */
export function kindKey(kind: string): MessageKey {
  return OWN_NAMES[kind] ?? roleKey(roleOf(kind));
}

const SHAPES: Readonly<Record<RoleName, string>> = {
  user: "M5 .8a4.2 4.2 0 1 1 0 8.400A4.2 4.2 0 0 1 5 .8Z",
  assistant: "M5 .5 9.5 5 5 9.5 .5 5Z",
  tool: "M1.2 1.200h7.600v7.600H1.200Z",
  system: "M5 .8 9.4 8.800H.6Z",
  compaction: "M1 .8h8L6 5l3 4.200H1L4 5Z",
  summary: "M2.8 .8h4.400L9.5 5 7.2 9.200H2.800L.5 5Z",
  state: "M5 3a2 2 0 1 1 0 4 2 2 0 0 1 0-4Z",
};

/** Path of the shape on a 10 px grid. */
export function roleShape(role: RoleName): string {
  return SHAPES[role];
}

/** The shape of a family in its hue: colour is never alone. */
export function RoleMark({ of: role }: { readonly of: RoleName }): ReactElement {
  return (
    <svg
      className={`mark role-${role}`}
      viewBox="0 0 10 10"
      width="10"
      height="10"
      aria-hidden="true"
    >
      <path d={SHAPES[role]} />
    </svg>
  );
}
