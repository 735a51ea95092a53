import type { ReactElement, ReactNode } from "react";
import ReactMarkdown, { type Components } from "react-markdown";
import remarkGfm from "remark-gfm";
import { text } from "../i18n/language.ts";
import { languageNamed } from "./code-language.ts";
import { CodeText } from "./code-text.tsx";
import { safeLink } from "./safe-link.ts";

const PLUGINS = [remarkGfm];

function SafeLink(parts: {
  readonly href?: string | undefined;
  readonly children?: ReactNode;
}): ReactElement {
  const href = parts.href === undefined ? null : safeLink(parts.href);
  if (href === null) return <span className="dead-link">{parts.children}</span>;
  return (
    <a href={href} target="_blank" rel="noopener noreferrer nofollow">
      {parts.children}
    </a>
  );
}

/** Remote images are never loaded (S6): a text link says where they are. */
function ImageLink(parts: {
  readonly src?: unknown;
  readonly alt?: string | undefined;
}): ReactElement {
  const src = typeof parts.src === "string" ? safeLink(parts.src) : null;
  const words = `${parts.alt || text("transcript.image")} (${text("transcript.remoteImage")})`;
  return src === null ? (
    <span className="dead-link">{words}</span>
  ) : (
    <SafeLink href={src}>{words}</SafeLink>
  );
}

/** Code between words, or of a fence that may name its language. */
function Code(parts: {
  readonly fence: string | undefined;
  readonly source: ReactNode;
}): ReactElement {
  const name = /^language-(\S+)$/.exec(parts.fence ?? "")?.[1];
  const language = name === undefined ? null : languageNamed(name);
  if (language === null || typeof parts.source !== "string") return <code>{parts.source}</code>;
  return (
    <code>
      <CodeText source={parts.source} language={language} />
    </code>
  );
}

const COMPONENTS: Components = {
  a: ({ href, children }) => <SafeLink href={href}>{children}</SafeLink>,
  img: ({ src, alt }) => <ImageLink src={src} alt={alt} />,
  table: ({ children }) => (
    <div className="table-scroll">
      <table>{children}</table>
    </div>
  ),
  code: ({ className, children }) => <Code fence={className} source={children} />,
  input: ({ checked }) => <span aria-hidden="true">{checked ? "☑" : "☐"}</span>,
};

/** Markdown without raw HTML: tags are shown as text, links and images pass the allow-list. */
export function Markdown({ source }: { readonly source: string }): ReactElement {
  return (
    <ReactMarkdown
      remarkPlugins={PLUGINS}
      components={COMPONENTS}
      urlTransform={(url) => safeLink(url) ?? ""}
    >
      {source}
    </ReactMarkdown>
  );
}
