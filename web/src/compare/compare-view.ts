import type { ComparedSide } from "./compare-model.ts";

/** Most columns of a comparison. */
export const MOST_COLUMNS = 4;

/** Names of the columns, the same in all languages. */
export const LETTERS: readonly string[] = ["A", "B", "C", "D"];

/** The side that the others of its row are compared with: the first there is. Pure. */
export function baseOf(sides: readonly (ComparedSide | null)[]): number {
  return sides.findIndex((side) => side !== null);
}

/** The first column before `at` that says exactly the same in this row; undefined = none does. Pure. */
export function sameAs(sides: readonly (ComparedSide | null)[], at: number): number | undefined {
  const side = sides[at];
  if (side == null) return undefined;
  const found = sides.findIndex((other) =>
    side.group === undefined || other?.group === undefined
      ? other?.role === side.role && other.text === side.text
      : other.group === side.group,
  );
  return found >= 0 && found < at ? found : undefined;
}

/** What a word about one side of a row says. Pure. */
export type SideWord =
  | { readonly kind: "none" | "only" | "some" | "changed" }
  | { readonly kind: "equal"; readonly column: number };

/** How a side stands to the others of its row. Pure. */
export function sideWord(sides: readonly (ComparedSide | null)[], at: number): SideWord {
  const present = sides.filter((side) => side !== null);
  const equal = sameAs(sides, at);
  if (equal !== undefined) {
    const areAll =
      present.length === sides.length && sides.every((_, one) => isFirstOf(sides, one));
    return areAll ? { kind: "none" } : { kind: "equal", column: equal };
  }
  if (present.length === 1) return { kind: "only" };
  if (sides.every((_, one) => sides[one] === null || isFirstOf(sides, one)))
    return { kind: present.length === sides.length ? "none" : "some" };
  return { kind: "changed" };
}

/** Whether a side says what the first one says. */
function isFirstOf(sides: readonly (ComparedSide | null)[], at: number): boolean {
  const base = baseOf(sides);
  return at === base || sameAs(sides, at) === base;
}
