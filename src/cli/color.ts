import { styleText } from "node:util";
import { safeText } from "../view/safe-text.ts";

/** What a piece of output means; the one place that says how it looks. */
export type Style =
  | "id"
  | "user"
  | "assistant"
  | "tool"
  | "system"
  | "label"
  | "branch"
  | "leaf"
  | "faint"
  | "strong"
  | "match"
  | "warning"
  | "error";

/** A piece of a line. Text may come from data: it is made safe where it is rendered. */
export type Piece = string | { readonly text: string; readonly style: Style };

const LOOKS: Readonly<Record<Style, Parameters<typeof styleText>[0]>> = {
  id: "yellow",
  user: ["bold", "cyan"],
  assistant: "green",
  tool: "blue",
  system: "magenta",
  label: "magenta",
  branch: ["bold", "green"],
  leaf: ["bold", "red"],
  faint: "gray",
  strong: "bold",
  match: ["bold", "red"],
  warning: "yellow",
  error: ["bold", "red"],
};

/** What decides about colours. */
export interface ColorQuestion {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly isTerminal: boolean;
  readonly plain: boolean;
}

/** True where colours are wanted: a terminal, neither --plain nor NO_COLOR, or FORCE_COLOR. */
export function wantsColor({ env, isTerminal, plain }: ColorQuestion): boolean {
  if (plain) return false;
  if (env.NO_COLOR !== undefined && env.NO_COLOR !== "") return false;
  const forced = env.FORCE_COLOR;
  if (forced !== undefined) return forced !== "0" && forced !== "false";
  return isTerminal && env.TERM !== "dumb";
}

/** A piece with a style. */
export function styled(style: Style, text: string): Piece {
  return { style, text };
}

/** The text of pieces without styles. */
export function textOf(pieces: readonly Piece[]): string {
  return pieces.map((piece) => (typeof piece === "string" ? piece : piece.text)).join("");
}

/** Pieces as terminal text. The only place where text meets escape sequences: all text is made safe. */
export function render(pieces: readonly Piece[], look: { readonly color: boolean }): string {
  let out = "";
  for (const piece of pieces) {
    // An id from a file may hold a line end, which would let it forge a line of ours. Blanks stay: they
    // keep the columns.
    const isId = typeof piece !== "string" && piece.style === "id";
    const raw = typeof piece === "string" ? piece : piece.text;
    const text = safeText(isId ? raw.replaceAll(/[^\S ]+/gu, " ") : raw);
    const bare = typeof piece === "string" || !look.color || text === "";
    out += bare ? text : styleText(LOOKS[piece.style], text, { validateStream: false });
  }
  return out;
}
