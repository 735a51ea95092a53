/**
 * Stands in the place of `api/http.ts` in an exported page: the same calls, answered from the data in the
 * page. Nothing is sent anywhere; what would change the session is refused.
 */
import { ApiFailure } from "../api/api-failure.ts";
import type { CallOptions, Query } from "../api/http.ts";
import { type EmbeddedSession, embeddedSession } from "./embedded-session.ts";

export type { CallOptions, Query } from "../api/http.ts";

/** Answers one call. Throws {@link ApiFailure} for calls that only a server can answer. */
export async function call<T>(path: string, options: CallOptions = {}): Promise<T> {
  const session = await embeddedSession();
  const { method = "GET", query = {}, body } = options;
  const answer =
    method === "GET"
      ? await read(session, path, query)
      : await change(session, `${method} ${path}`, body);
  // The answers of the embedded session have the shapes of the contract.
  return answer as T;
}

async function read(session: EmbeddedSession, path: string, query: Query): Promise<unknown> {
  const [, , , , what, name = "", part] = path.split("/");
  const entry = decodeURIComponent(name);
  if (what === undefined) return await session.state();
  if (what === "tree") return session.columns(Number(query.from ?? 0));
  if (what === "rows") return { rows: await session.rows(placesOf(String(query.places ?? ""))) };
  if (what === "path") return await session.window(questionOf(query));
  if (what === "entries") return await session.entry(entry);
  if (what === "context") return await session.context(textOf(query.at));
  if (what === "curve") return await session.curve();
  if (what === "compactions" && part === "originals") {
    return { rows: await session.originals(entry), cursor: null };
  }
  throw refused();
}

async function change(session: EmbeddedSession, what: string, body: unknown): Promise<unknown> {
  if (what !== "POST /api/branch") throw refused();
  return await session.move((body as { readonly leafId: string }).leafId);
}

function questionOf(query: Query): Parameters<EmbeddedSession["window"]>[0] {
  return {
    leaf: textOf(query.leaf),
    around: textOf(query.around),
    before: Number(query.before ?? 30),
    after: Number(query.after ?? 30),
  };
}

function textOf(value: Query[string]): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}

/** `1,5,9-20` */
function placesOf(text: string): readonly number[] {
  return text.split(",").flatMap((part) => {
    const [from = 0, to = from] = part.split("-").map(Number);
    return Array.from({ length: to - from + 1 }, (_, at) => from + at);
  });
}

function refused(): ApiFailure {
  const message = "This page is an export: it can only be read.";
  return new ApiFailure({ code: "NOT_SUPPORTED", status: 405, message });
}
