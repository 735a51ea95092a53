import { zh } from "../i18n/zh.ts";

/** All texts of the page first: those drawn before their font came would stay boxes in a picture. */
async function loadTexts(): Promise<void> {
  const texts = Object.values(zh).join("");
  const weights = ["400", "500", "700"];
  await Promise.all(
    weights.map((weight) => document.fonts.load(`${weight} 14px "Noto Sans SC"`, texts)),
  );
}

/**
 * With `?font=noto` the page asks its own origin for a Chinese web font. Nothing is shipped there:
 * machines without a Chinese font (those that make the pictures) answer it themselves. Resolves when
 * the style is there or is not to be had.
 */
export function askForFont(): Promise<void> {
  if (new URLSearchParams(location.search).get("font") !== "noto") return Promise.resolve();
  const link = document.createElement("link");
  link.rel = "stylesheet";
  link.href = "/test-font/noto.css";
  return new Promise((resolve) => {
    link.addEventListener("load", () => void loadTexts().finally(resolve));
    link.addEventListener("error", () => resolve());
    document.head.append(link);
  });
}
