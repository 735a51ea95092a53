import type { ReactElement } from "react";
import { useText } from "../i18n/language.ts";

/** An image that the session itself holds; unknown kinds are named only. */
export function ImageBlock(parts: {
  readonly source: string | null;
  readonly mime: string;
}): ReactElement {
  const t = useText();
  const { source, mime } = parts;
  if (source === null)
    return <p className="quiet">{`${t("transcript.image")} (${mime || "?"})`}</p>;
  return <img className="inline-image" src={source} alt={t("transcript.image")} loading="lazy" />;
}
