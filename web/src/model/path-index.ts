import { marksOfPath } from "../tree/path-marks.ts";
import type { SessionModel } from "./session-model.ts";

/** Index of an entry's row on the active path, also where the row is not fetched yet; undefined = not on it. */
export function pathIndexOf(model: SessionModel, entry: string): number | undefined {
  const known = model.path.indexOf(entry);
  if (known !== undefined) return known;
  const shape = model.shape.get();
  const place = model.placeOf(entry);
  if (shape === undefined || place === undefined) return undefined;
  const index = marksOfPath(shape).places.indexOf(place);
  return index < 0 ? undefined : index;
}
