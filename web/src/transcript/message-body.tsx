import { type ReactElement, useState } from "react";
import { useText } from "../i18n/language.ts";
import { Icon } from "../parts/icon.tsx";
import { jsonText, type ShownBlock } from "./entry-content.ts";
import { ImageBlock } from "./image-block.tsx";
import { PlainText, TextBody } from "./text-body.tsx";
import { ToolRow, type ToolView } from "./tool-row.tsx";

/** Parts of a message in order. `toolOf` = the state of a call; undefined = it is shown by its result's row. */
export function MessageBody(parts: {
  readonly blocks: readonly ShownBlock[];
  readonly toolOf: (id: string, block: ShownBlock) => ToolView | undefined;
  readonly openThinking: boolean;
}): ReactElement {
  const { blocks, toolOf, openThinking } = parts;
  return (
    <>
      {blocks.map((block, at) => (
        <BlockView
          // biome-ignore lint/suspicious/noArrayIndexKey: blocks of an entry never change
          key={at}
          block={block}
          tool={block.type === "call" ? toolOf(block.id, block) : undefined}
          openThinking={openThinking}
        />
      ))}
    </>
  );
}

function BlockView(parts: {
  readonly block: ShownBlock;
  readonly tool: ToolView | undefined;
  readonly openThinking: boolean;
}): ReactElement | null {
  const { block, tool, openThinking } = parts;
  switch (block.type) {
    case "text":
      return <TextBody source={block.text} />;
    case "thinking":
      return block.text.trim() === "" ? null : (
        <Thinking key={String(openThinking)} source={block.text} startOpen={openThinking} />
      );
    case "call":
      return tool === undefined ? null : <ToolRow tool={tool} startOpen={false} />;
    case "image":
      return <ImageBlock source={block.source} mime={block.mime} />;
    default:
      return <PlainText className="code-text" source={jsonText(block.value)} />;
  }
}

function Thinking(parts: { readonly source: string; readonly startOpen: boolean }): ReactElement {
  const t = useText();
  const [isOpen, setOpen] = useState(parts.startOpen);
  return (
    <div className="thinking">
      <button
        type="button"
        className="tool-line"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        <Icon name={isOpen ? "down" : "right"} />
        <span>{t("transcript.thinking")}</span>
        {!isOpen && (
          <span className="tool-about">{parts.source.slice(0, 160).replace(/\s+/g, " ")}</span>
        )}
      </button>
      {isOpen && <PlainText className="plain-text thinking-text" source={parts.source} />}
    </div>
  );
}
