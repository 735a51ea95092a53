import {
  type KeyboardEvent,
  type ReactElement,
  type ReactNode,
  type RefObject,
  useEffect,
  useRef,
  useState,
} from "react";
import { useKeys } from "../app/keys.ts";
import { draft } from "../app/overlays.ts";
import { useSignal } from "../app/signal.ts";
import { useText } from "../i18n/language.ts";
import { type SendOptions, send, stop } from "../model/session-actions.ts";
import type { SessionModel } from "../model/session-model.ts";
import { Button, IconButton } from "../parts/button.tsx";
import { toast } from "../parts/toast.tsx";
import { askBeside } from "../transcript/row-actions.ts";
import { AskingFrom } from "./asking-from.tsx";
import { COMPOSER_VERBS } from "./composer-verbs.ts";
import { QueueChips } from "./queue-chips.tsx";
import { readVerb } from "./read-verb.ts";

type RunningMode = Exclude<SendOptions["mode"], "run" | "retry">;

const MODES: readonly RunningMode[] = ["steer", "followUp", "nextTurn"];

/** Where a message is written: from which branch it asks, when it is sent, what waits. */
export function Composer(parts: {
  readonly model: SessionModel;
  /** Stands before the line that says where a message goes. */
  readonly children?: ReactNode;
}): ReactElement {
  const t = useText();
  const { model } = parts;
  const state = useSignal(model.state);
  const live = useSignal(model.live);
  const [mode, setMode] = useState<RunningMode>("steer");
  const composer = useComposer(model, mode);
  const isRunning = live.state !== "idle";
  const isReadOnly = state?.readOnly != null;
  return (
    <form
      className="composer"
      onSubmit={(event) => {
        event.preventDefault();
        void composer.submit();
      }}
    >
      <QueueChips model={model} />
      <div className="composer-line">
        {parts.children}
        <AskingFrom model={model} edits={composer.edits} onCancel={composer.clear} />
      </div>
      <div className="composer-box">
        <textarea
          ref={composer.field}
          rows={1}
          value={composer.words}
          disabled={isReadOnly}
          aria-label={t("composer.label")}
          placeholder={placeholder({ isReadOnly, isRunning }, t)}
          onChange={(event) => composer.setWords(event.target.value)}
          onKeyDown={composer.onKeyDown}
        />
        {isRunning && <ModeChoice mode={mode} onChange={setMode} />}
        {isRunning && (
          <Button kind="danger" icon="stop" onClick={() => void stop(model)}>
            {t("composer.stop")}
          </Button>
        )}
        <IconButton
          icon="send"
          label={t("composer.send")}
          disabled={composer.words.trim() === "" || isReadOnly}
          onClick={() => void composer.submit()}
        />
      </div>
    </form>
  );
}

function placeholder(
  state: { readonly isReadOnly: boolean; readonly isRunning: boolean },
  t: ReturnType<typeof useText>,
): string {
  if (state.isReadOnly) return t("composer.readOnly");
  if (state.isRunning) return t("composer.running");
  return t(matchMedia("(pointer: coarse)").matches ? "composer.short" : "composer.placeholder");
}

function ModeChoice(parts: {
  readonly mode: RunningMode;
  readonly onChange: (mode: RunningMode) => void;
}): ReactElement {
  const t = useText();
  return (
    <fieldset className="segments" aria-label={t("composer.mode")}>
      {MODES.map((mode) => (
        <button
          key={mode}
          type="button"
          aria-pressed={mode === parts.mode}
          onClick={() => parts.onChange(mode)}
        >
          {t(`composer.mode.${mode}`)}
        </button>
      ))}
    </fieldset>
  );
}

interface ComposerState {
  readonly words: string;
  readonly edits: string | null;
  readonly field: RefObject<HTMLTextAreaElement | null>;
  readonly setWords: (words: string) => void;
  readonly clear: () => void;
  readonly submit: () => Promise<void>;
  readonly onKeyDown: (event: KeyboardEvent) => void;
}

function useComposer(model: SessionModel, mode: RunningMode): ComposerState {
  const [words, setWords] = useState("");
  const [edits, setEdits] = useState<string | null>(null);
  const field = useRef<HTMLTextAreaElement>(null);
  const given = useSignal(draft);
  useEffect(() => {
    if (given === undefined) return;
    setWords(given.text);
    setEdits(given.edits);
    draft.set(undefined);
    field.current?.focus();
  }, [given]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the height follows the words
  useEffect(() => fitHeight(field.current), [words]);
  useKeys({ i: () => void field.current?.focus() });
  const clear = (): void => {
    setWords("");
    setEdits(null);
  };
  const submit = async (): Promise<void> => {
    if (words.trim() === "") return;
    clear();
    const isTaken = await sendWords(model, { words, edits, mode });
    if (isTaken) return;
    setWords((present) => (present === "" ? words : present));
    setEdits(edits);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    // Enter that ends the choice of a Chinese word is no Enter of ours; 229 is what old engines say of it.
    if (event.nativeEvent.isComposing || event.keyCode === 229) return;
    if (event.key === "Enter" && !event.shiftKey) {
      event.preventDefault();
      void submit();
    } else if (event.key === "Escape") {
      event.stopPropagation();
      if (edits !== null) clear();
      field.current?.blur();
    }
  };
  return { words, edits, field, setWords, clear, submit, onKeyDown };
}

/** Up to about nine lines; then it scrolls. */
function fitHeight(field: HTMLTextAreaElement | null): void {
  if (field === null) return;
  field.style.height = "auto";
  field.style.height = `${Math.min(field.scrollHeight, 200)}px`;
}

interface Words {
  readonly words: string;
  readonly edits: string | null;
  readonly mode: RunningMode;
}

async function sendWords(model: SessionModel, { words, edits, mode }: Words): Promise<boolean> {
  const verb = readVerb(words);
  if (verb !== undefined) return runVerb(model, verb);
  const index = edits === null ? undefined : model.path.indexOf(edits);
  const question = index === undefined ? undefined : model.path.at(index);
  if (question !== undefined) return await askBeside(model, question, words);
  const isRunning = model.live.get().state !== "idle";
  return await send(model, { text: words, mode: isRunning ? mode : "run" });
}

function runVerb(model: SessionModel, { verb, rest }: { verb: string; rest: string }): boolean {
  const action = Object.hasOwn(COMPOSER_VERBS, verb) ? COMPOSER_VERBS[verb] : undefined;
  if (action === undefined) {
    toast({
      text: `/${verb}: ${Object.keys(COMPOSER_VERBS)
        .map((name) => `/${name}`)
        .join(" ")}`,
      tone: "error",
    });
    return false;
  }
  action(model, rest);
  return true;
}
