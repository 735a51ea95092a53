import { type ReactElement, useState } from "react";
import { useText } from "../i18n/language.ts";
import { Icon } from "../parts/icon.tsx";
import { RoleMark } from "../parts/role-mark.tsx";
import { diffLines } from "../parts/text-diff.ts";
import { languageOfPath } from "./code-language.ts";
import { blocksOf, jsonText } from "./entry-content.ts";
import { ImageBlock } from "./image-block.tsx";
import { PlainText } from "./text-body.tsx";
import { callSummary, type FileChange, fileChanges, filePath } from "./tool-summary.ts";

/** A call and what came back, as far as it is known. */
export interface ToolView {
  readonly name: string;
  readonly arguments: unknown;
  /** Content of the result; undefined while it runs. */
  readonly output: unknown;
  readonly details?: unknown;
  readonly state: "waiting" | "running" | "done" | "failed";
}

/** One line until it is opened: then arguments (or a diff) and output. */
export function ToolRow(parts: {
  readonly tool: ToolView;
  readonly startOpen: boolean;
}): ReactElement {
  const t = useText();
  const { tool, startOpen } = parts;
  const [isOpen, setOpen] = useState(startOpen);
  const state = tool.state === "done" ? "" : t(`tool.${tool.state}`);
  return (
    <div className={`tool ${tool.state}`}>
      <button
        type="button"
        className="tool-line"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        <Icon name={isOpen ? "down" : "right"} />
        <RoleMark of="tool" />
        <strong>{tool.name}</strong>
        <span className="tool-about">{callSummary(tool.arguments)}</span>
        {state !== "" && <span className={`tool-state ${tool.state}`}>{state}</span>}
        <Size output={tool.output} />
      </button>
      {isOpen && <ToolBody tool={tool} />}
    </div>
  );
}

function Size({ output }: { readonly output: unknown }): ReactElement | null {
  const t = useText();
  const first = blocksOf(output)[0];
  if (first?.type !== "text") return null;
  return (
    <span className="quiet small">
      {t("tool.lines", { n: first.text.trimEnd().split("\n").length })}
    </span>
  );
}

function ToolBody({ tool }: { readonly tool: ToolView }): ReactElement {
  const t = useText();
  const changes = fileChanges(tool.arguments);
  const isShell = /bash|shell|exec|terminal/i.test(tool.name);
  const blocks = blocksOf(tool.output);
  const language =
    isShell || tool.state === "failed" ? null : languageOfPath(filePath(tool.arguments));
  const hasDetails =
    tool.details !== undefined && tool.details !== null && jsonText(tool.details) !== "{}";
  return (
    <div className="tool-body">
      {changes.map((change) => (
        <FileDiff key={`${change.path}${change.before}`} change={change} />
      ))}
      {changes.length === 0 && !isShell && tool.arguments !== undefined && (
        <PlainText className="code-text" source={jsonText(tool.arguments)} language="json" />
      )}
      {isShell && (
        <PlainText className="terminal-text" source={`$ ${callSummary(tool.arguments)}`} />
      )}
      {blocks.length === 0 && tool.output !== undefined && (
        <p className="quiet small">{t("tool.noOutput")}</p>
      )}
      {blocks.map((block, at) =>
        block.type === "image" ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: blocks of an entry never change
          <ImageBlock key={at} source={block.source} mime={block.mime} />
        ) : (
          <PlainText
            // biome-ignore lint/suspicious/noArrayIndexKey: blocks of an entry never change
            key={at}
            className={isShell ? "terminal-text" : "code-text"}
            source={block.type === "text" ? block.text : jsonText(block)}
            language={language}
          />
        ),
      )}
      {hasDetails && (
        <details>
          <summary>{t("tool.details")}</summary>
          <PlainText className="code-text" source={jsonText(tool.details)} language="json" />
        </details>
      )}
    </div>
  );
}

/** Lines that a diff shows. */
const SHOWN_LINES = 400;

function FileDiff({ change }: { readonly change: FileChange }): ReactElement {
  const lines = diffLines(change.before, change.after).flatMap(({ kind, text }) =>
    text
      .replace(/\n$/, "")
      .split("\n")
      .map((line) => ({ kind, line })),
  );
  return (
    <figure className="diff">
      <figcaption>{change.path}</figcaption>
      <div className="code-text">
        {lines.slice(0, SHOWN_LINES).map(({ kind, line }, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines of an entry never change
          <div key={at} className={`diff-line ${kind}`}>
            <span className="diff-sign">
              {kind === "added" ? "+" : kind === "removed" ? "−" : " "}
            </span>
            {line}
          </div>
        ))}
        {lines.length > SHOWN_LINES && <div className="quiet">… +{lines.length - SHOWN_LINES}</div>}
      </div>
    </figure>
  );
}
