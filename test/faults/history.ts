import assert from "node:assert/strict";
import type { AckRow } from "./watched-writer.ts";

/** What a checked history holds. */
export interface HistoryReport {
  readonly acknowledged: number;
  /** Entries in the log that nobody was told of: the last commit of a writer that was killed. */
  readonly unknown: number;
  /** Longest answer in ms. */
  readonly longestMs: number;
}

/**
 * Checks what writers of one session were told against the log (reliability.md §7; every append is unique and
 * the log gives the order, so this takes one pass): each acknowledged entry once, each writer's order
 * kept, real time kept (an answer before a beginning means before in the log), every entry under the one
 * before it: no lost update and no silent branch.
 */
export function checkHistory(
  writers: readonly (readonly AckRow[])[],
  log: readonly { readonly id: string; readonly parentId: string | null }[],
): HistoryReport {
  const places = new Map(log.map(({ id }, place) => [id, place]));
  assert.equal(places.size, log.length, "an id is there twice");
  for (const [place, { parentId }] of log.entries()) {
    const before = place === 0 ? null : (log[place - 1]?.id ?? null);
    assert.equal(parentId, before, `entry ${place} hangs beside the one before it`);
  }
  const rows = writers.flat();
  for (const { id, parent } of rows) {
    const place = places.get(id);
    assert.ok(place !== undefined, "an acknowledged entry is lost");
    assert.equal(log[place]?.parentId, parent, "the writer was told another parent");
  }
  for (const own of writers) checkOrder(own.map(({ id }) => places.get(id) ?? -1));
  checkRealTime(rows, places);
  const longestMs = Math.max(0, ...rows.map(({ began, ended }) => ended - began));
  return { acknowledged: rows.length, unknown: log.length - rows.length, longestMs };
}

function checkOrder(places: readonly number[]): void {
  for (const [index, place] of places.entries()) {
    assert.ok(index === 0 || place > (places[index - 1] ?? -1), "a writer's order is not kept");
  }
}

/** Sorted by their ends: no entry may begin after one that stands behind it had ended. */
function checkRealTime(rows: readonly AckRow[], places: ReadonlyMap<string, number>): void {
  const ends = [...rows].sort((a, b) => a.ended - b.ended);
  const begins = [...rows].sort((a, b) => a.began - b.began);
  let highest = -1;
  let done = 0;
  for (const row of begins) {
    for (; done < ends.length && (ends[done] as AckRow).ended < row.began; done++) {
      highest = Math.max(highest, places.get((ends[done] as AckRow).id) ?? -1);
    }
    assert.ok(
      (places.get(row.id) ?? -1) > highest,
      "an entry stands before one that was done already",
    );
  }
}
