import { lazy, memo, type NamedExoticComponent, Suspense } from "react";

const HighlightedCode = lazy(async () => ({
  default: (await import("./highlighted-code.tsx")).HighlightedCode,
}));

/** Code of a language, plain until the highlighter is there; `language` null = plain for good. */
export const CodeText: NamedExoticComponent<{
  readonly source: string;
  readonly language: string | null;
}> = memo(({ source, language }) =>
  language === null ? (
    source
  ) : (
    <Suspense fallback={source}>
      <HighlightedCode source={source} language={language} />
    </Suspense>
  ),
);
