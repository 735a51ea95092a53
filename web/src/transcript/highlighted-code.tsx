import type { ReactElement } from "react";
import { highlighted } from "./highlight.ts";

/** Code with its words coloured, or as it is. Loaded when the first code of a known language is shown. */
export function HighlightedCode(parts: {
  readonly source: string;
  readonly language: string;
}): ReactElement {
  const { source, language } = parts;
  const row = highlighted(source, language);
  if (row === null) return <>{source}</>;
  return (
    <>
      {row.map(({ text, kind }, at) =>
        kind === "" ? (
          text
        ) : (
          // biome-ignore lint/suspicious/noArrayIndexKey: parts of a text never change
          <span key={at} className={kind}>
            {text}
          </span>
        ),
      )}
    </>
  );
}
