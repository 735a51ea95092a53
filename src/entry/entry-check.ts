import type { Entry, EntryTypes } from "./entry.ts";
import { MAX_ENTRY_ID_LENGTH } from "./ids.ts";

type Members = Readonly<Record<string, unknown>>;
type ShapeCheck = (entry: Members) => boolean;

const isString = (value: unknown): value is string => typeof value === "string";

/** True for JSON objects, not for arrays and null. */
export function isObject(value: unknown): value is Members {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isContent(value: unknown): boolean {
  return isString(value) || Array.isArray(value);
}

/**
 * The members without which an entry of that type has no meaning. Hand-written, because they run on
 * every line of every open (dependencies.md §5: a schema library adds 70 % to parsing).
 */
const SHAPES: { readonly [T in keyof EntryTypes]: ShapeCheck } = {
  message: (entry) => isObject(entry.message) && isString(entry.message.role),
  model_change: (entry) => isString(entry.provider) && isString(entry.modelId),
  thinking_level_change: (entry) => isString(entry.thinkingLevel),
  active_tools_change: (entry) =>
    Array.isArray(entry.activeToolNames) && entry.activeToolNames.every(isString),
  usage: (entry) => isObject(entry.usage),
  compaction: (entry) => isString(entry.summary),
  branch_summary: (entry) => isString(entry.summary),
  context_edit: (entry) =>
    isString(entry.targetId) &&
    (entry.replacement === null ||
      (isObject(entry.replacement) && isContent(entry.replacement.content))),
  custom: (entry) => isString(entry.customType),
  custom_message: (entry) => isString(entry.customType),
  label: (entry) => isString(entry.targetId),
  session_info: (entry) => entry.name === undefined || isString(entry.name),
  leaf: (entry) => entry.targetId === null || isString(entry.targetId),
};

/** True for the wire name of an entry type with a meaning. */
export function isKnownType(type: string): type is keyof EntryTypes {
  return Object.hasOwn(SHAPES, type);
}

/**
 * Narrows an entry to a type and checks that it has the members of that type. An entry of a known
 * type with a wrong shape is no such entry: it stays in the tree and is ignored (P7).
 *
 * @example
 * if (isEntry(entry, "compaction")) console.log(entry.summary);
 */
export function isEntry<T extends keyof EntryTypes>(entry: Entry, type: T): entry is EntryTypes[T] {
  return entry.type === type && SHAPES[type](entry as Members);
}

/** True where the type is known and the shape is not that of the type (problem ENTRY_MALFORMED). */
export function isMalformed(entry: Entry): boolean {
  return isKnownType(entry.type) && !isEntry(entry, entry.type);
}

/** Why a value is no entry, or null where it is one. The rest of its shape may still be wrong. */
export function entryFault(value: unknown): string | null {
  if (!isObject(value)) return "not an object";
  if (!isString(value.type) || value.type === "") return "no type";
  if (!isString(value.id) || value.id === "") return "no id";
  if (value.id.length > MAX_ENTRY_ID_LENGTH) return "the id is too long";
  if (value.type === "message" && !SHAPES.message(value))
    return "a message entry without a message";
  return null;
}
