import { z } from "@hono/zod-openapi";
import { GAP_TYPE } from "../../entry/own-state.ts";
import type { TreeEntry } from "../../tree/tree-entry.ts";
import { previewOf } from "../../view/entry-view.ts";
import { shapeContext } from "../context-shape.ts";
import { contextView } from "../context-view.ts";
import { HttpError } from "../http-error.ts";
import { ENTRY, entryId, hostOf, numberIn, optionalEntryId, parsePlaces } from "../input.ts";
import { WINDOW_ROWS } from "../limits.ts";
import { previews } from "../previews.ts";
import { type Route, route } from "../route.ts";
import { sessionState } from "../session-state.ts";
import * as wire from "../wire-schema.ts";

const stateRoute = route({
  method: "get",
  path: "/api/sessions/{s}",
  tag: "reading",
  about:
    "Everything small about a session: leaf, branches, labels, model, queue, run. ETag = revision.",
  answer: wire.SESSION_STATE,
  run: async ({ core, params }) => await sessionState(core, await hostOf(core, params)),
});

const treeRoute = route({
  method: "get",
  path: "/api/sessions/{s}/tree",
  tag: "reading",
  about: "The skeleton of the tree as columns, from a place on.",
  query: z.strictObject({ from: numberIn(0, 1e9).optional() }),
  answer: wire.TREE_COLUMNS,
  run: async ({ core, params, query }) => {
    const host = await hostOf(core, params);
    return await host.columns(Math.min(query.from ?? 0, host.store.tree.size));
  },
});

const rowsRoute = route({
  method: "get",
  path: "/api/sessions/{s}/rows",
  tag: "reading",
  about: `Previews of the entries at some places, as \`1,5,9-20\`; at most ${WINDOW_ROWS}.`,
  query: z.strictObject({ places: z.string().min(1).max(2000) }),
  answer: z.object({ rows: z.array(wire.ENTRY_PREVIEW) }),
  run: async ({ core, params, query }) => {
    const host = await hostOf(core, params);
    const { tree } = host.store;
    const places = parsePlaces(query.places, tree.size);
    const at = places.flatMap((place) => tree.at(place) ?? []);
    return { rows: await previews(host, at) };
  },
});

const pathRoute = route({
  method: "get",
  path: "/api/sessions/{s}/path",
  tag: "reading",
  about:
    "A window of the transcript: the path to `leaf` (default: the session's), around an entry (default: the end). An `around` on another branch gives the path through it.",
  query: z.strictObject({
    leaf: ENTRY.optional(),
    around: ENTRY.optional(),
    before: numberIn(0, WINDOW_ROWS).optional(),
    after: numberIn(0, WINDOW_ROWS).optional(),
  }),
  answer: wire.PATH_WINDOW,
  run: async ({ core, params, query }) => {
    const host = await hostOf(core, params);
    const { tree } = host.store;
    const around = query.around === undefined ? null : entryId(tree, query.around);
    const leaf = query.leaf === undefined ? host.session.leaf : entryId(tree, query.leaf);
    const { before = 30, after = 30 } = query;
    if (before + after >= WINDOW_ROWS) {
      throw new HttpError("HTTP_BAD_REQUEST", `At most ${WINDOW_ROWS} rows at once.`);
    }
    await host.skeleton.update();
    return await host.windows.window(host.revision, { leaf, around, before, after });
  },
});

const entryRoute = route({
  method: "get",
  path: "/api/sessions/{s}/entries/{e}",
  tag: "reading",
  about: "One entry whole, with its parents, children and place in the file.",
  answer: wire.ENTRY_VIEW,
  run: async ({ core, params }) => {
    const host = await hostOf(core, params);
    const { tree } = host.store;
    const id = entryId(tree, params.e ?? "");
    const entry = await host.store.mustGet(id);
    const at = tree.get(id) as TreeEntry;
    const place = host.store.placeOf(id);
    const parents = at.parent === null ? [] : [at.parent];
    return {
      entry,
      preview: previewOf(at, entry, tree.labels().get(id)?.label ?? null),
      parents: await previews(host, parents),
      children: await previews(host, tree.children(id).slice(0, WINDOW_ROWS)),
      where:
        place === null
          ? null
          : { line: place.line, start: place.byteStart, end: place.byteEnd, file: host.store.file },
      gap: at.gap ?? (at.customType === GAP_TYPE ? { reason: "repaired" } : null),
    };
  },
});

const rawRoute = route({
  method: "get",
  path: "/api/sessions/{s}/entries/{e}/raw",
  tag: "reading",
  about: "One entry as the JSON text of its line (text/plain); one `Range: bytes=a-b` is honoured.",
  run: async ({ core, params, request }) => {
    const host = await hostOf(core, params);
    const id = entryId(host.store.tree, params.e ?? "");
    const text = JSON.stringify(await host.store.mustGet(id), null, 1);
    return ranged(Buffer.from(text), request.headers.get("range"));
  },
});

/** The part that `Range` names, 206; the whole where there is none or more than one. */
function ranged(bytes: Buffer<ArrayBuffer>, range: string | null): Response {
  const headers = { "Content-Type": "text/plain; charset=utf-8", "Accept-Ranges": "bytes" };
  const [, first = "", last = ""] = /^bytes=(\d{0,12})-(\d{0,12})$/.exec(range ?? "") ?? [];
  if (first === "" && last === "") return new Response(bytes, { headers });
  const size = bytes.length;
  const start = first === "" ? Math.max(0, size - Number(last)) : Number(first);
  const end = first === "" || last === "" ? size : Math.min(size, Number(last) + 1);
  if (start >= size || start >= end) {
    return new Response(null, { status: 416, headers: { "Content-Range": `bytes */${size}` } });
  }
  const part = { ...headers, "Content-Range": `bytes ${start}-${end - 1}/${size}` };
  return new Response(bytes.subarray(start, end), { status: 206, headers: part });
}

const contextRoute = route({
  method: "get",
  path: "/api/sessions/{s}/context",
  tag: "reading",
  about:
    "What the model sees at an entry (default: the leaf). `as` adds the request body of a provider; `messages=1` the whole messages.",
  query: z.strictObject({
    at: ENTRY.optional(),
    as: z.enum(["pi", "openai", "anthropic"]).optional(),
    messages: z.enum(["0", "1"]).optional(),
  }),
  answer: wire.CONTEXT_VIEW,
  run: async ({ core, params, query }) => {
    const host = await hostOf(core, params);
    const at =
      query.at === undefined ? host.session.leaf : optionalEntryId(host.store.tree, query.at);
    const { view, messages, sent } = await contextView(core, host, at);
    const whole = query.messages === "1" ? { ...view, messages } : view;
    return query.as === undefined ? whole : { ...whole, body: shapeContext(query.as, view, sent) };
  },
});

const curveRoute = route({
  method: "get",
  path: "/api/sessions/{s}/curve",
  tag: "reading",
  about: "The size of the context along the path, for the scrubber.",
  query: z.strictObject({ leaf: ENTRY.optional() }),
  answer: wire.CONTEXT_CURVE,
  run: async ({ core, params, query }) => {
    const host = await hostOf(core, params);
    const leaf =
      query.leaf === undefined ? host.session.leaf : entryId(host.store.tree, query.leaf);
    return await host.curve(leaf);
  },
});

const opsRoute = route({
  method: "get",
  path: "/api/sessions/{s}/ops",
  tag: "reading",
  about:
    "The log of operations, oldest first: moves, labels, names, edits, compactions and their undos.",
  answer: z.object({ operations: z.array(wire.OPERATION_ROW) }),
  run: async ({ core, params }) => {
    const { session } = await hostOf(core, params);
    const operations = await session.operations();
    return {
      operations: operations.map(({ entryIds, ...operation }) => ({
        ...operation,
        entries: entryIds,
      })),
    };
  },
});

/** What a session holds. */
export const READING_ROUTES: readonly Route[] = [
  stateRoute,
  treeRoute,
  rowsRoute,
  pathRoute,
  entryRoute,
  rawRoute,
  contextRoute,
  curveRoute,
  opsRoute,
];
