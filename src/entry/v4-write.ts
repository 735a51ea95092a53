import { isObject } from "./entry-check.ts";

type Members = Readonly<Record<string, unknown>>;

/** One write of a v4 line (formats.md §2.2). What fits none of the others is "other". */
export type V4Write =
  | { readonly kind: "entry"; readonly members: Members }
  | { readonly kind: "usage"; readonly members: Members }
  | {
      readonly kind: "value";
      readonly members: Members;
      readonly namespace: string;
      readonly key: string;
      /** undefined = deleted. */
      readonly value: unknown;
    }
  | { readonly kind: "other"; readonly members: Members };

/** Reads one object of a line. */
export function readWrite(members: Members): V4Write {
  const { kind, op, namespace, key, value } = members;
  if (kind === "entry" || kind === "usage") return { kind, members };
  const isNamed = typeof namespace === "string" && typeof key === "string";
  if (kind === "value" && isNamed && (op === "set" || op === "delete"))
    return { kind, members, namespace, key, value: op === "set" ? value : undefined };
  return { kind: "other", members };
}

/** A {@link V4Write} that sets the tip of a named branch. */
export interface TipWrite {
  readonly lane: string;
  /** Id of an entry, or null = before the first one. */
  readonly tip: string | null;
}

/** The branch tip that a write sets, or null where it sets none. */
export function tipOf(write: V4Write): TipWrite | null {
  if (write.kind !== "value" || write.namespace !== "pi.branch.tip") return null;
  const { key, value } = write;
  return typeof value === "string" || value === null ? { lane: key, tip: value } : null;
}

/** Settings of a lane as far as they have the right types. */
export interface LaneConfig {
  readonly model?: { readonly provider: string; readonly modelId: string };
  readonly thinkingLevel?: string;
  readonly activeToolNames?: readonly string[];
}

/** Reads the value of `pi.lane.config`. */
export function laneConfig(value: Members): LaneConfig {
  const { model, thinkingLevel, activeToolNames } = value;
  const config: { -readonly [K in keyof LaneConfig]: LaneConfig[K] } = {};
  if (isObject(model)) {
    const { provider, modelId } = model;
    if (typeof provider === "string" && typeof modelId === "string")
      config.model = { provider, modelId };
  }
  if (typeof thinkingLevel === "string") config.thinkingLevel = thinkingLevel;
  if (Array.isArray(activeToolNames) && activeToolNames.every((name) => typeof name === "string"))
    config.activeToolNames = activeToolNames;
  return config;
}
