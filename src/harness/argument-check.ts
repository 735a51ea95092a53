import { isObject } from "../entry/entry-check.ts";
import { isJsonEqual } from "../entry/json-equal.ts";
import type { JsonSchema } from "../model/model.ts";

/** What a schema says of a value, as a list of complaints; `at` is the place in the arguments. */
type Check = (schema: JsonSchema, value: unknown, at: string) => readonly string[];

const isNumber = (value: unknown): value is number => typeof value === "number";

/** The tests behind the names of types. */
const TYPES: Readonly<Record<string, (value: unknown) => boolean>> = {
  object: isObject,
  array: Array.isArray,
  string: (value) => typeof value === "string",
  number: isNumber,
  integer: Number.isInteger,
  boolean: (value) => typeof value === "boolean",
  null: (value) => value === null,
};

function checkType({ type }: JsonSchema, value: unknown, at: string): readonly string[] {
  if (type === undefined) return [];
  const names: readonly unknown[] = Array.isArray(type) ? type : [type];
  // A name that is no type of JSON Schema refuses nothing: the schema is wrong, not the call.
  const fits = names.some((name) => TYPES[String(name)]?.(value) ?? true);
  return fits ? [] : [`${at} must be ${names.join(" or ")}`];
}

function checkValues(schema: JsonSchema, value: unknown, at: string): readonly string[] {
  const { enum: values, const: only } = schema;
  if (Array.isArray(values) && !values.some((one) => isJsonEqual(one, value)))
    return [`${at} must be one of ${JSON.stringify(values)}`];
  if (only !== undefined && !isJsonEqual(only, value))
    return [`${at} must be ${JSON.stringify(only)}`];
  return [];
}

/** Least and most of a size, under the names that the kind of value has for them. */
function checkRange(schema: JsonSchema, value: unknown, at: string): readonly string[] {
  const [size, least, most, unit] = isNumber(value)
    ? [value, schema.minimum, schema.maximum, ""]
    : typeof value === "string"
      ? [[...value].length, schema.minLength, schema.maxLength, " characters"]
      : Array.isArray(value)
        ? [value.length, schema.minItems, schema.maxItems, " items"]
        : [0, undefined, undefined, ""];
  if (isNumber(least) && size < least) return [`${at} must have at least ${least}${unit}`];
  if (isNumber(most) && size > most) return [`${at} must have at most ${most}${unit}`];
  return [];
}

function checkMembers(schema: JsonSchema, value: unknown, at: string): readonly string[] {
  if (!isObject(value)) return [];
  const known = isObject(schema.properties) ? schema.properties : {};
  const required: readonly unknown[] = Array.isArray(schema.required) ? schema.required : [];
  const missing = required
    .filter((name) => typeof name === "string" && !Object.hasOwn(value, name))
    .map((name) => `${at}.${name} is missing`);
  const wrong = Object.entries(value).flatMap(([name, member]) => {
    const place = `${at}.${name}`;
    const own = Object.hasOwn(known, name) ? known[name] : schema.additionalProperties;
    if (own === false) return [`${place} is not known`];
    return isObject(own) ? checkValue(own, member, place) : [];
  });
  return [...missing, ...wrong];
}

function checkItems({ items }: JsonSchema, value: unknown, at: string): readonly string[] {
  if (!isObject(items) || !Array.isArray(value)) return [];
  return value.flatMap((item, index) => checkValue(items, item, `${at}[${index}]`));
}

function checkChoices(schema: JsonSchema, value: unknown, at: string): readonly string[] {
  const { anyOf = schema.oneOf } = schema;
  if (!Array.isArray(anyOf)) return [];
  const choices = anyOf.filter(isObject).map((one) => checkValue(one, value, at));
  if (choices.length === 0 || choices.some((complaints) => complaints.length === 0)) return [];
  return [`${at} fits none of the choices (${choices.map((one) => one[0]).join("; ")})`];
}

const CHECKS: readonly Check[] = [
  checkType,
  checkValues,
  checkRange,
  checkMembers,
  checkItems,
  checkChoices,
];

function checkValue(schema: JsonSchema, value: unknown, at: string): readonly string[] {
  return CHECKS.flatMap((check) => check(schema, value, at));
}

/** Complaints that one answer to the model repeats. */
const SHOWN = 8;

/**
 * Checks the arguments of a call against the part of JSON Schema that tools use: type, enum, const,
 * properties, required, additionalProperties, items, anyOf, oneOf (as anyOf), and least and most of numbers,
 * texts and lists. What it does not know refuses nothing. The depth is that of the schema, so that
 * arguments of any depth are safe. Gives what is wrong, for the model to read, or null.
 */
export function argumentsFault(
  schema: JsonSchema,
  args: Readonly<Record<string, unknown>>,
): string | null {
  const complaints = checkValue({ type: "object", ...schema }, args, "arguments");
  if (complaints.length === 0) return null;
  const more = complaints.length - SHOWN;
  return [...complaints.slice(0, SHOWN), ...(more > 0 ? [`and ${more} more`] : [])].join("\n");
}
