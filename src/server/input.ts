import path from "node:path";
import { z } from "@hono/zod-openapi";
import { BranchlineError } from "../errors.ts";
import type { SessionTree } from "../tree/session-tree.ts";
import { HttpError } from "./http-error.ts";
import { WINDOW_ROWS } from "./limits.ts";
import type { ServerCore } from "./server-core.ts";
import type { SessionHost } from "./session-host.ts";

/** Names an entry: its id, or `~i` for place i in file order. */
export const ENTRY: z.ZodType<string> = z.string().min(1).max(256);

/** A project folder: an absolute path, here or on the machine that the session comes from. */
export const CWD: z.ZodType<string> = z
  .string()
  .max(4096)
  .refine(isFolderPath, "an absolute path without control characters is needed");

function isFolderPath(text: string): boolean {
  const isAbsolute = path.posix.isAbsolute(text) || path.win32.isAbsolute(text);
  return isAbsolute && !/\p{Cc}/u.test(text);
}

/** A number in a query. */
export function numberIn(min: number, max: number): z.ZodType<number> {
  return z
    .string()
    .regex(/^\d{1,9}$/)
    .transform(Number)
    .pipe(z.number().int().min(min).max(max)) as unknown as z.ZodType<number>;
}

/** The id of an entry that a request names by id or place. Throws ENTRY_UNKNOWN. */
export function entryId(tree: SessionTree, name: string): string {
  const place = /^~(\d{1,9})$/.exec(name)?.[1];
  const at = place === undefined ? tree.get(name) : tree.at(Number(place));
  if (at !== undefined) return at.id;
  const message = "No entry has this id or place.";
  throw new BranchlineError("ENTRY_UNKNOWN", { revision: name.slice(0, 256) }, { message });
}

/** The same where nothing named means nothing. */
export function optionalEntryId(tree: SessionTree, name: string | null | undefined): string | null {
  return name === null || name === undefined || name === "" ? null : entryId(tree, name);
}

/** The open session of the path parameter `s`. */
export async function hostOf(
  core: ServerCore,
  params: Readonly<Record<string, string>>,
): Promise<SessionHost> {
  return await core.hosts.use(params.s ?? "");
}

/** The same for a change. */
export async function writableHostOf(
  core: ServerCore,
  params: Readonly<Record<string, string>>,
): Promise<SessionHost> {
  return await core.hosts.useForWriting(params.s ?? "");
}

/** Who asks: told with what came of a change. */
export function clientOf(request: Request): string {
  const name = request.headers.get("x-branchline-client") ?? "";
  return /^[\w.-]{1,64}$/.test(name) ? name : "api";
}

/** Places as `1,5,9-20`; at most 200. Throws HTTP_BAD_REQUEST. */
export function parsePlaces(text: string, size: number): readonly number[] {
  const places: number[] = [];
  for (const part of text.split(",")) {
    const [, first, last] = /^(\d{1,9})(?:-(\d{1,9}))?$/.exec(part) ?? [];
    if (first === undefined)
      throw new HttpError("HTTP_BAD_REQUEST", "places is no list of places.");
    const from = Number(first);
    const to = last === undefined ? from : Number(last);
    if (to - from >= WINDOW_ROWS) throw tooMany();
    for (let place = from; place <= to; place++) if (place < size) places.push(place);
    if (places.length > WINDOW_ROWS) throw tooMany();
  }
  return places;
}

function tooMany(): HttpError {
  return new HttpError("HTTP_BAD_REQUEST", `At most ${WINDOW_ROWS} rows at once.`);
}
