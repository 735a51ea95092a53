import type { Entry } from "../../entry/entry.ts";
import { EMPTY_FOLD, type Fold, foldEntry, type SettingName } from "../../tree/fold.ts";
import type { SettingsAbove } from "../../tree/tail-tree.ts";

const SETTINGS: readonly SettingName[] = ["model", "thinkingLevel", "activeTools"];

/** The types of entry that may set something. */
const SETTERS: { readonly [S in SettingName]: readonly string[] } = {
  model: ["model_change", "message"],
  thinkingLevel: ["thinking_level_change"],
  activeTools: ["active_tools_change"],
};

type Found = { -readonly [S in SettingName]?: Fold[S] };

/** Looks, from the end of a path upwards, for the settings that hold at its end. */
export class SettingsSearch {
  readonly #missing: Set<SettingName>;
  readonly #found: Found = {};

  /** `entries` is the end of the path: what it sets itself is not looked for. */
  constructor(entries: readonly Entry[]) {
    this.#missing = new Set(SETTINGS);
    for (const entry of entries) for (const name of setBy(entry)) this.#missing.delete(name);
  }

  /** True where nothing more is looked for. */
  get isDone(): boolean {
    return this.#missing.size === 0;
  }

  /** True where an entry of this type may be what is looked for. */
  wants(type: string): boolean {
    for (const name of this.#missing) if (SETTERS[name].includes(type)) return true;
    return false;
  }

  /** Takes the next such entry up the path. */
  add(entry: Entry): void {
    for (const name of setBy(entry)) {
      if (!this.#missing.delete(name)) continue;
      Object.assign(this.#found, { [name]: foldEntry(EMPTY_FOLD, entry, "")[name] });
    }
  }

  /** The root was passed: what was not found is not set. */
  end(): void {
    for (const name of this.#missing) Object.assign(this.#found, { [name]: EMPTY_FOLD[name] });
    this.#missing.clear();
  }

  /** What is still missing is told as not set, and named as unproven. */
  result(): SettingsAbove {
    const unproven = [...this.#missing];
    const guessed = Object.fromEntries(unproven.map((name) => [name, EMPTY_FOLD[name]]));
    return { found: { ...guessed, ...this.#found }, unproven };
  }
}

/** What an entry sets: told from what it makes of a path without settings. */
function setBy(entry: Entry): readonly SettingName[] {
  return SETTINGS.filter((name) => {
    if (!SETTERS[name].includes(entry.type)) return false;
    return entry.type !== "message" || foldEntry(EMPTY_FOLD, entry, "").model !== null;
  });
}
