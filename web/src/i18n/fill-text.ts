/** Values for the `{names}` of a text. */
export type TextValues = Readonly<Record<string, string | number>>;

/**
 * Fills `{name}` places. A text `one|other` is chosen by `n`: the first form for 1, the second for all
 * else (Chinese needs one form only).
 */
export function fillText(pattern: string, values: TextValues = {}): string {
  const forms = pattern.split("|");
  const form = forms.length > 1 && values.n !== 1 ? forms[1] : forms[0];
  return (form ?? pattern).replace(/\{(\w+)\}/g, (whole, name: string) =>
    name in values ? valueText(values[name]) : whole,
  );
}

/** Numbers with commas between thousands, as both languages write them. */
function valueText(value: string | number | undefined): string {
  return typeof value === "number" ? value.toLocaleString("en-US") : String(value);
}
