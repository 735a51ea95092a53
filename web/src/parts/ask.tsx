import { type ReactElement, useState } from "react";
import { Signal, useSignal } from "../app/signal.ts";
import { useText } from "../i18n/language.ts";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";

/** A question with one line as its answer. */
export interface Question {
  readonly title: string;
  readonly body?: string;
  readonly initial?: string;
  readonly danger?: boolean;
  /** Word on the button, default "Save". */
  readonly yes?: string;
  /** Several lines. */
  readonly isLong?: boolean;
  /** The answer is taken only when this says yes. */
  readonly accept?: (answer: string) => boolean;
}

interface OpenQuestion extends Question {
  readonly answer: (text: string | null) => void;
}

const open: Signal<OpenQuestion | undefined> = new Signal<OpenQuestion | undefined>(undefined);

/** Asks for one line of text; null = given up. */
export function ask(question: Question): Promise<string | null> {
  return new Promise((resolve) => {
    open.set({
      ...question,
      answer: (text) => {
        open.set(undefined);
        resolve(text);
      },
    });
  });
}

/** Shows the question that is open. Stands once in the page. */
export function AskHost(): ReactElement | null {
  const question = useSignal(open);
  return question === undefined ? null : <AskDialog key={question.title} question={question} />;
}

function AskDialog({ question }: { readonly question: OpenQuestion }): ReactElement {
  const t = useText();
  const [text, setText] = useState(question.initial ?? "");
  const isFit = question.accept?.(text) ?? true;
  const field = {
    value: text,
    "aria-label": question.title,
    onChange: (event: { readonly target: { readonly value: string } }) =>
      setText(event.target.value),
  };
  return (
    <Dialog title={question.title} onClose={() => question.answer(null)}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (isFit) question.answer(text);
        }}
      >
        {question.body && <p className="quiet">{question.body}</p>}
        {question.isLong ? (
          <textarea className="field" rows={5} {...field} />
        ) : (
          <input className="field" {...field} />
        )}
        <div className="row end">
          <Button onClick={() => question.answer(null)}>{t("app.cancel")}</Button>
          <button
            type="submit"
            className={`button ${question.danger ? "danger" : "primary"}`}
            disabled={!isFit}
          >
            <span>{question.yes ?? t("app.save")}</span>
          </button>
        </div>
      </form>
    </Dialog>
  );
}
