import {
  lazy,
  memo,
  type NamedExoticComponent,
  type ReactElement,
  Suspense,
  useState,
} from "react";
import { useText } from "../i18n/language.ts";
import { Button } from "../parts/button.tsx";
import { CodeText } from "./code-text.tsx";
import { isWithinBudget, usesMarkdown } from "./render-budget.ts";

const Markdown = lazy(async () => ({ default: (await import("./markdown.tsx")).Markdown }));

/** Characters of plain text that are shown before somebody asks for more. */
const SHOWN = 6000;

/** A text of a message: markdown inside the render budget, plain text above it. */
export const TextBody: NamedExoticComponent<{ readonly source: string }> = memo(({ source }) => {
  if (!usesMarkdown(source)) return <p className="plain-text">{source}</p>;
  if (!isWithinBudget(source)) return <PlainText source={source} />;
  return (
    <div className="markdown">
      <Suspense fallback={<PlainText source={source} />}>
        <Markdown source={source} />
      </Suspense>
    </div>
  );
});

/** Text as it is, coloured where its language is given; long ones open on demand. */
export function PlainText(parts: {
  readonly source: string;
  readonly className?: string;
  readonly language?: string | null;
}): ReactElement {
  const t = useText();
  const [isWhole, setWhole] = useState(false);
  const { source, className = "plain-text", language = null } = parts;
  const isCut = source.length > SHOWN && !isWhole;
  const shown = isCut ? source.slice(0, SHOWN) : source;
  return (
    <>
      <div className={className}>
        <CodeText source={shown} language={language} />
      </div>
      {isCut && (
        <Button onClick={() => setWhole(true)}>{t("transcript.cut", { n: source.length })}</Button>
      )}
    </>
  );
}
