import type { WireEvent } from "branchline/protocol/event.ts";
import { Signal } from "../app/signal.ts";
import { data } from "./live-run.ts";

/** How far the server is with a session that it makes, in entries. */
export interface Making {
  readonly done: number;
  readonly total: number;
}

/** What the server makes now, because somebody opened it; undefined = nothing. */
export const making: Signal<Making | undefined> = new Signal<Making | undefined>(undefined);

/** Takes an event of the server. */
export function hearOfMaking(event: WireEvent): void {
  if (event.type !== "index_progress") return;
  const { done, total, what } = data(event, "index_progress");
  if (what.startsWith("making ")) making.set(done < total ? { done, total } : undefined);
}
