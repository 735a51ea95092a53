import type { QueueRow } from "branchline/protocol/session.ts";
import type { ReactElement } from "react";
import { dropQueued, patchQueued } from "../api/api.ts";
import { useSignal } from "../app/signal.ts";
import { useText } from "../i18n/language.ts";
import type { SessionModel } from "../model/session-model.ts";
import { ask } from "../parts/ask.tsx";
import { IconButton } from "../parts/button.tsx";
import { toastFailure } from "../parts/toast.tsx";
import { fieldsOf, plainText } from "../transcript/entry-content.ts";

const wordsOf = (item: QueueRow): string =>
  plainText(item.content) || plainText(fieldsOf(item.content).content);

/** Messages that wait; each can be changed or taken away. */
export function QueueChips({ model }: { readonly model: SessionModel }): ReactElement | null {
  const t = useText();
  const queue = useSignal(model.state)?.queue ?? [];
  if (queue.length === 0) return null;
  const edit = async (item: QueueRow): Promise<void> => {
    const words = await ask({ title: t("composer.queue"), initial: wordsOf(item) });
    if (words === null) return;
    await patchQueued(model.id, item.id, words).then(() => model.refresh(), toastFailure);
  };
  const drop = (item: QueueRow): void => {
    dropQueued(model.id, item.id).then(() => model.refresh(), toastFailure);
  };
  return (
    <ul className="queue" aria-label={t("composer.queue")}>
      {queue.map((item) => (
        <li key={item.id} className="queue-chip">
          <span className="chip">{t(`composer.queue.${item.queue}`)}</span>
          <button type="button" className="queue-text" onClick={() => void edit(item)}>
            {wordsOf(item)}
          </button>
          <IconButton icon="close" label={t("composer.drop")} onClick={() => drop(item)} />
        </li>
      ))}
    </ul>
  );
}
