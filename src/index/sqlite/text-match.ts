import { fieldTokens } from "../entry-text.ts";
import type { FieldFilter, TextQuery, TextTerm } from "../text-query.ts";

/**
 * A query as an expression of FTS5. Every word stands in a quoted phrase, and the phrases are made of
 * tokens, which hold no quotes: nothing that a person types is syntax (reliability.md S8).
 */
function phrase(tokens: readonly string[]): string {
  return `"${tokens.join(" ").replaceAll('"', '""')}"`;
}

function termExpression(term: TextTerm): string {
  const whole = `{words parts} : ${phrase(term.phrase)}`;
  return term.parts.length === 0 ? `(${whole})` : `(${whole} OR {parts} : ${phrase(term.parts)})`;
}

function fieldExpression(filter: FieldFilter): string {
  const values = filter.values.map((value) => phrase(fieldTokens(filter.field, value)));
  return `({fields} : (${values.join(" OR ")}))`;
}

/** What has to be found, and what must not be. */
export interface MatchExpressions {
  /** undefined where nothing has to be found. */
  readonly wanted: string | undefined;
  /** undefined where nothing is excluded. */
  readonly unwanted: string | undefined;
}

function joined(expressions: readonly string[], operator: string): string | undefined {
  return expressions.length === 0 ? undefined : expressions.join(operator);
}

/** The two FTS5 expressions of a query. */
export function matchExpressions(query: TextQuery): MatchExpressions {
  const filters = (negated: boolean): readonly string[] =>
    query.fields.filter((filter) => filter.negated === negated).map(fieldExpression);
  const wanted = [...query.terms.map(termExpression), ...filters(false)];
  const unwanted = [...query.without.map(termExpression), ...filters(true)];
  return { wanted: joined(wanted, " AND "), unwanted: joined(unwanted, " OR ") };
}
