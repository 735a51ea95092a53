import { type Signal, useSignal } from "../app/signal.ts";
import { storedSignal } from "../app/stored-signal.ts";
import { en, type MessageKey } from "./en.ts";
import { fillText, type TextValues } from "./fill-text.ts";
import { zh } from "./zh.ts";

/** The languages of the page. */
export type Language = "en" | "zh";

/** Looks up a text and fills its values in. */
export type Translate = (key: MessageKey, values?: TextValues) => string;

const isLanguage = (value: unknown): value is Language => value === "en" || value === "zh";

/** The chosen language; first that of the browser. */
export const language: Signal<Language> = storedSignal<Language>(
  "language",
  navigator.language.toLowerCase().startsWith("zh") ? "zh" : "en",
  isLanguage,
);

/** A text in the language that is chosen now. For code outside of components. */
export const text: Translate = (key, values) =>
  fillText((language.get() === "zh" ? zh : en)[key], values);

/** Texts of the chosen language; the component renders again when it changes. */
export function useText(): Translate {
  useSignal(language);
  return text;
}

/** Keeps `lang` of the document right; called once. */
export function followLanguage(): void {
  const apply = (): void => {
    document.documentElement.lang = language.get() === "zh" ? "zh-CN" : "en";
  };
  apply();
  language.subscribe(apply);
}
