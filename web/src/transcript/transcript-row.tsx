import type { TranscriptRow } from "branchline/protocol/tree.ts";
import { memo, type NamedExoticComponent, type ReactElement } from "react";
import { costText, timeText, tokensText } from "../i18n/format.ts";
import { useText } from "../i18n/language.ts";
import type { SessionModel } from "../model/session-model.ts";
import { Menu } from "../parts/menu.tsx";
import { RoleMark, roleKey, roleOf } from "../parts/role-mark.tsx";
import { CompactionRow } from "./compaction-row.tsx";
import { blocksOf, fieldsOf, messageOf, textOf } from "./entry-content.ts";
import { MessageBody } from "./message-body.tsx";
import { rowMenu } from "./row-actions.ts";
import { SiblingSwitch } from "./sibling-switch.tsx";
import { stateLine } from "./state-line.ts";
import { TextBody } from "./text-body.tsx";
import { ToolRow, type ToolView } from "./tool-row.tsx";

/** What a row is drawn from besides itself. */
export interface RowParts {
  readonly model: SessionModel;
  readonly row: TranscriptRow;
  readonly isChosen: boolean;
  readonly openTools: boolean;
  readonly openThinking: boolean;
  /** The call that a tool's result answers, where its row is known. */
  readonly call: unknown;
  /** Whether the result of a call has a row of its own. */
  readonly isAnswered: (callId: string) => boolean;
}

const STATE_ROWS = new Set(["x", "o", "k", "g", ".", "n", "l", "v"]);

/** One entry of the transcript. */
export const TranscriptRowView: NamedExoticComponent<RowParts> = memo((parts) => {
  const { row, isChosen } = parts;
  const role = roleOf(row.kind);
  const notSent = row.sent !== "yes" && !STATE_ROWS.has(row.kind) ? " not-sent" : "";
  const bare = isBare(parts) ? " bare" : "";
  return (
    <article
      className={`entry${bare} role-${role}${isChosen ? " chosen" : ""}${notSent}`}
      data-entry={row.id}
    >
      {STATE_ROWS.has(row.kind) ? <StateRow {...parts} /> : <EntryBody {...parts} />}
    </article>
  );
});

/** An answer that only calls tools whose rows follow: its head is enough. */
function isBare({ row, isAnswered }: RowParts): boolean {
  if (row.kind !== "a") return false;
  const message = messageOf(row.entry);
  return (
    textOf(message.errorMessage) === "" &&
    blocksOf(message.content).every(
      (block) =>
        (block.type === "call" && isAnswered(block.id)) ||
        ((block.type === "text" || block.type === "thinking") && block.text.trim() === ""),
    )
  );
}

function StateRow({ row, model }: RowParts): ReactElement {
  const t = useText();
  return (
    <p className="state-line">
      <RoleMark of="state" />
      <span>{stateLine(row, t)}</span>
      <Menu label={t("action.menu")} items={() => rowMenu(model, row)} />
    </p>
  );
}

function EntryBody(parts: RowParts): ReactElement {
  const { row, model, openTools, openThinking, isAnswered } = parts;
  if (row.kind === "t" || row.kind === "b") {
    return (
      <div className="entry-tool">
        <ToolRow key={String(openTools)} tool={toolView(parts)} startOpen={openTools} />
        <RowMarks row={row} />
        <RowTools row={row} model={model} />
      </div>
    );
  }
  const message = messageOf(row.entry);
  const error = textOf(message.errorMessage);
  return (
    <>
      <RowHead row={row} model={model} />
      {row.kind === "c" && <CompactionRow model={model} row={row} />}
      {row.kind === "m" && <TextBody source={textOf(fieldsOf(row.entry).summary)} />}
      {row.kind !== "c" && row.kind !== "m" && (
        <MessageBody
          blocks={blocksOf(row.kind === "q" ? fieldsOf(row.entry).content : message.content)}
          openThinking={openThinking}
          toolOf={(id, block) =>
            isAnswered(id) || block.type !== "call"
              ? undefined
              : {
                  name: block.name,
                  arguments: block.arguments,
                  output: undefined,
                  state: "waiting",
                }
          }
        />
      )}
      {error !== "" && <p className="entry-error">{error}</p>}
    </>
  );
}

function toolView({ row, call }: RowParts): ToolView {
  const message = messageOf(row.entry);
  if (row.kind === "b") {
    return {
      name: "bash",
      arguments: { command: textOf(message.command) },
      output: textOf(message.output),
      state: typeof message.exitCode === "number" && message.exitCode !== 0 ? "failed" : "done",
    };
  }
  return {
    name: row.tool ?? textOf(message.toolName),
    arguments: call,
    output: message.content,
    details: message.details,
    state: row.isError ? "failed" : "done",
  };
}

function RowHead({
  row,
  model,
}: {
  readonly row: TranscriptRow;
  readonly model: SessionModel;
}): ReactElement {
  const t = useText();
  const role = roleOf(row.kind);
  return (
    <header className="entry-head">
      <RoleMark of={role} />
      <strong className={`role-${role}`}>{t(roleKey(role))}</strong>
      {row.kind === "a" && row.model && <span className="quiet small">{row.model}</span>}
      <time className="quiet small" dateTime={row.timestamp}>
        {timeText(row.timestamp)}
      </time>
      <RowMarks row={row} />
      <span className="spring" />
      <SiblingSwitch row={row} model={model} />
      <span className="quiet small numbers">
        {tokensText(row.tokens)}
        {row.cost !== null && row.cost > 0 && ` · ${costText(row.cost)}`}
      </span>
      <RowTools row={row} model={model} />
    </header>
  );
}

function RowMarks({ row }: { readonly row: TranscriptRow }): ReactElement {
  const t = useText();
  return (
    <>
      {row.label !== null && <span className="flag">{row.label}</span>}
      {row.sent !== "yes" && (
        <span className="sent-mark">{t(`transcript.notSent.${row.sent}`)}</span>
      )}
    </>
  );
}

function RowTools({
  row,
  model,
}: {
  readonly row: TranscriptRow;
  readonly model: SessionModel;
}): ReactElement {
  const t = useText();
  return <Menu label={t("action.menu")} items={() => rowMenu(model, row)} />;
}
