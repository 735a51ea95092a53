import { type Signal, useSignal } from "./signal.ts";
import { storedSignal } from "./stored-signal.ts";

/** `auto` follows the system. */
export type Theme = "auto" | "light" | "dark";

const isTheme = (value: unknown): value is Theme =>
  value === "auto" || value === "light" || value === "dark";

/** The chosen theme. */
export const theme: Signal<Theme> = storedSignal<Theme>("theme", "auto", isTheme);

const darkSystem = matchMedia("(prefers-color-scheme: dark)");

function apply(): void {
  const choice = theme.get();
  const dark = choice === "dark" || (choice === "auto" && darkSystem.matches);
  document.documentElement.dataset.theme = dark ? "dark" : "light";
}

/** Keeps the page in the chosen theme; called once. */
export function followTheme(): void {
  apply();
  theme.subscribe(apply);
  darkSystem.addEventListener("change", apply);
}

/** The chosen theme and a switch to the other one. */
export function useTheme(): { readonly dark: boolean; readonly toggle: () => void } {
  const choice = useSignal(theme);
  const dark = choice === "dark" || (choice === "auto" && darkSystem.matches);
  return { dark, toggle: () => theme.set(dark ? "light" : "dark") };
}
