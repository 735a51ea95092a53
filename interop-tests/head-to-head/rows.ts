import type { Row } from "./row.ts";
import { FAULT_ROWS } from "./rows-faults.ts";
import { FILE_ROWS } from "./rows-files.ts";
import { MOVE_ROWS } from "./rows-moves.ts";
import { PLACE_ROWS } from "./rows-places.ts";
import { PROCESS_ROWS } from "./rows-processes.ts";
import { SIZE_ROWS } from "./rows-sizes.ts";

/** Every case, by the number of its row. */
export const ROWS: readonly Row[] = [
  ...FILE_ROWS,
  ...SIZE_ROWS,
  ...PROCESS_ROWS,
  ...MOVE_ROWS,
  ...FAULT_ROWS,
  ...PLACE_ROWS,
].sort((a, b) => a.row - b.row);
