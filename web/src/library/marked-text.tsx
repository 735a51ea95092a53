import type { ReactElement, ReactNode } from "react";

/** A text with some places marked; `marks` are [start, end) in UTF-16 units, sorted. */
export function MarkedText(parts: {
  readonly text: string;
  readonly marks: readonly (readonly [number, number])[];
}): ReactElement {
  const { text, marks } = parts;
  const pieces: ReactNode[] = [];
  let end = 0;
  for (const [from, to] of marks) {
    if (from < end || to > text.length) continue;
    pieces.push(text.slice(end, from), <mark key={from}>{text.slice(from, to)}</mark>);
    end = to;
  }
  return (
    <span className="marked-text">
      {pieces}
      {text.slice(end)}
    </span>
  );
}
