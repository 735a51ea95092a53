import type { ExportHead } from "branchline/protocol/export.ts";
import { type ReactElement, useEffect } from "react";
import { createRoot } from "react-dom/client";
import { followKeys } from "../app/keys.ts";
import { followLocation, replaceRoute, route } from "../app/location.ts";
import { chosenEntry } from "../app/overlays.ts";
import { useSignal } from "../app/signal.ts";
import { followTheme } from "../app/theme.ts";
import { ContextScreen } from "../context/context-screen.tsx";
import { followLanguage, useText } from "../i18n/language.ts";
import { SessionModel } from "../model/session-model.ts";
import { FailureNote } from "../parts/notice.tsx";
import { ToastHost } from "../parts/toast.tsx";
import { Transcript } from "../transcript/transcript.tsx";
import { TreePane, TreeSheet } from "../workspace/tree-pane.tsx";
import { embeddedSession } from "./embedded-session.ts";
import { ExportBar } from "./export-bar.tsx";
import { word } from "./words.ts";
import "../style/tokens.css";
import "../style/base.css";
import "../style/shell.css";
import "../style/parts.css";
import "../style/tree.css";
import "../style/code.css";
import "../style/transcript.css";
import "../style/context.css";
import "../style/marks.css";
import "../style/phone.css";
import "./export.css";

/** An exported session: tree rail and transcript, or what the model would see; nothing that changes. */
function ExportPage(parts: {
  readonly model: SessionModel;
  readonly head: ExportHead;
}): ReactElement {
  const { model, head } = parts;
  const { entry, screen } = useSignal(route);
  useEffect(() => chosenEntry.set(entry), [entry]);
  return (
    <div className="shell export-page">
      <ExportBar model={model} head={head} />
      {screen === "context" ? (
        <ContextScreen model={model} entry={entry} />
      ) : (
        <TalkScreen model={model} />
      )}
      <TreeSheet model={model} />
      <ToastHost />
    </div>
  );
}

function TalkScreen({ model }: { readonly model: SessionModel }): ReactElement {
  const t = useText();
  const failure = useSignal(model.failure);
  return (
    <main className="screen workspace" id="content">
      <TreePane model={model} />
      <section className="talk" aria-label={t("transcript.title")}>
        {failure === undefined ? <Transcript model={model} /> : <FailureNote error={failure} />}
      </section>
    </main>
  );
}

async function open(): Promise<void> {
  followTheme();
  followLanguage();
  followLocation();
  followKeys();
  const place = document.getElementById("page");
  if (place === null) return;
  try {
    const session = await embeddedSession();
    const { head } = session;
    const model = new SessionModel(head.session.id);
    // A link may name an entry by its place; what is not there is the end of the path.
    const { entry } = route.get();
    const linked = entry === null ? undefined : await session.entry(entry).catch(() => undefined);
    if (entry !== null) replaceRoute({ entry: linked?.preview.id ?? null });
    // Before the first rendering, which scrolls to it.
    chosenEntry.set(route.get().entry);
    void model.open(route.get().entry);
    createRoot(place).render(<ExportPage model={model} head={head} />);
  } catch (error) {
    place.textContent = `${word("failed")} (${String(error)})`;
  }
}

void open();
