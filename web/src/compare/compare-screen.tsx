import type { ReactElement } from "react";
import { replaceRoute } from "../app/location.ts";
import type { Route } from "../app/route.ts";
import { useSignal } from "../app/signal.ts";
import { useText } from "../i18n/language.ts";
import type { SessionModel } from "../model/session-model.ts";
import { Button, IconButton } from "../parts/button.tsx";
import { Empty, FailureNote } from "../parts/notice.tsx";
import { BranchChoice, type Choice, endHere, useChoices } from "./branch-choice.tsx";
import { MODES, type Mode } from "./compare-mode.ts";
import { LETTERS, MOST_COLUMNS } from "./compare-view.ts";
import { Comparison } from "./comparison.tsx";

/** S4: two to four branches from their meeting point down. */
export function CompareScreen(parts: {
  readonly model: SessionModel;
  readonly route: Route;
}): ReactElement {
  const t = useText();
  const { model, route } = parts;
  const state = useSignal(model.state);
  const failure = useSignal(model.failure);
  const choices = useChoices(model);
  const first = route.a ?? endHere(model) ?? state?.leaf ?? null;
  const second = route.b ?? choices.find(({ id }) => id !== first)?.id ?? null;
  const leaves = [first, second, route.c, route.d].filter((leaf) => leaf !== null);
  const mode = MODES.find((one) => one === route.mode) ?? "turns";
  if (failure !== undefined) {
    return (
      <main className="screen" id="content">
        <FailureNote error={failure} onRetry={() => void model.open(null)} />
      </main>
    );
  }
  return (
    <main className="screen compare" id="content">
      <header className="screen-head">
        <h1>{t("compare.title")}</h1>
        <Columns leaves={leaves} choices={choices} />
        <span className="spring" />
        <ModeChoice mode={mode} />
      </header>
      {leaves.length < 2 ? (
        <Empty
          title={t("compare.choose")}
          body={t(choices.length < 2 ? "compare.oneBranch" : "compare.chooseBody")}
        />
      ) : (
        <Comparison key={leaves.length} model={model} leaves={leaves} mode={mode} />
      )}
    </main>
  );
}

/** Puts the leaves of the columns into the address. */
function choose(leaves: readonly string[]): void {
  const [a = null, b = null, c = null, d = null] = leaves;
  replaceRoute({ a, b, c, d });
}

/** One list for each column, and the way to more and fewer. */
function Columns(parts: {
  readonly leaves: readonly string[];
  readonly choices: readonly Choice[];
}): ReactElement {
  const t = useText();
  const { leaves, choices } = parts;
  const more = choices.find(({ id }) => !leaves.includes(id));
  const shown = leaves.length < 2 ? [leaves[0] ?? null, null] : leaves;
  return (
    <div className="column-choices">
      {shown.map((leaf, at) => {
        const letter = LETTERS[at] ?? "";
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: a column is its place
          <span key={at} className="column-choice">
            <span className={`letter letter-${at}`} aria-hidden="true">
              {letter}
            </span>
            <BranchChoice
              side={t("compare.column", { name: letter })}
              choices={choices}
              value={leaf}
              onChange={(id) => choose([...leaves.slice(0, at), id, ...leaves.slice(at + 1)])}
            />
            {leaves.length > 2 && (
              <IconButton
                icon="close"
                label={t("compare.remove", { name: letter })}
                onClick={() => choose(leaves.filter((_, one) => one !== at))}
              />
            )}
          </span>
        );
      })}
      {leaves.length === 2 && (
        <IconButton
          icon="swap"
          label={t("compare.swap")}
          onClick={() => choose(leaves.toReversed())}
        />
      )}
      {leaves.length >= 2 && leaves.length < MOST_COLUMNS && more !== undefined && (
        <Button icon="plus" onClick={() => choose([...leaves, more.id])}>
          {t("compare.add")}
        </Button>
      )}
    </div>
  );
}

function ModeChoice({ mode }: { readonly mode: Mode }): ReactElement {
  const t = useText();
  return (
    <fieldset className="segments" aria-label={t("key.modes")}>
      {MODES.map((one) => (
        <button
          key={one}
          type="button"
          aria-pressed={one === mode}
          onClick={() => replaceRoute({ mode: one })}
        >
          {t(`compare.mode.${one}`)}
        </button>
      ))}
    </fieldset>
  );
}
