import { encodingCases, jsonCases, tailCases } from "./cases/bytes.ts";
import { ownLineCases } from "./cases/own-lines.ts";
import { rowCases } from "./cases/rows.ts";
import { headerCases, treeCases } from "./cases/tree.ts";
import { typeCases } from "./cases/types.ts";
import type { DamagedCase } from "./damaged-case.ts";

/** The whole corpus. */
export function damagedCases(): readonly DamagedCase[] {
  return [
    ...rowCases(),
    ...ownLineCases(),
    ...tailCases(),
    ...encodingCases(),
    ...jsonCases(),
    ...treeCases(),
    ...headerCases(),
    ...typeCases(),
  ];
}
