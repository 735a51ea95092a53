import type { ContextCurve, ContextView } from "branchline/protocol/tree.ts";
import { useEffect, useRef, useState } from "react";
import { readContext, readCurve } from "../api/api.ts";
import { useSignal } from "../app/signal.ts";
import type { SessionModel } from "../model/session-model.ts";
import { agreements } from "./agreements.ts";

/** Forms in which the context is shown. */
export type ContextForm = "messages" | "pi" | "openai" | "anthropic";

/** The context with the body of a request, where one was asked for. */
export type ContextWithBody = ContextView & { readonly body?: unknown };

/** What is known of the context at an entry; the view before stays until the next one is there. */
export interface ContextData {
  readonly view: ContextWithBody | undefined;
  readonly curve: ContextCurve | undefined;
  readonly error: unknown;
}

/** Reads the context at an entry (null = the leaf) and the curve of the path. */
export function useContextData(
  model: SessionModel,
  at: string | null,
  form: ContextForm,
): ContextData {
  const revision = useSignal(model.state)?.revision;
  const leaf = useSignal(model.state)?.leaf;
  const [view, setView] = useState<ContextWithBody>();
  const [curve, setCurve] = useState<ContextCurve>();
  const [error, setError] = useState<unknown>();
  const known = useRef(new Map<string, ContextWithBody>());
  const word = useSignal(agreements);
  const key = `${revision} ${word} ${at ?? leaf} ${form}`;
  useEffect(() => {
    const present = known.current.get(key);
    if (present !== undefined) return setView(present);
    const fetching = new AbortController();
    const query = { at, as: form === "messages" ? undefined : form };
    readContext(model.id, query, fetching.signal).then(
      (read) => {
        if (known.current.size > 60) known.current.clear();
        known.current.set(key, read);
        setView(read);
        setError(undefined);
      },
      (thrown) => fetching.signal.aborted || setError(thrown),
    );
    return () => fetching.abort();
  }, [key, at, form, model]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the curve follows revision and leaf
  useEffect(() => {
    const fetching = new AbortController();
    readCurve(model.id, fetching.signal).then(
      setCurve,
      (thrown) => fetching.signal.aborted || setError(thrown),
    );
    return () => fetching.abort();
  }, [model, revision, leaf]);
  return { view, curve, error };
}
