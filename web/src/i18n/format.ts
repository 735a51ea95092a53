import { type Language, language, text } from "./language.ts";

const LOCALES: Readonly<Record<Language, string>> = { en: "en", zh: "zh-CN" };

const locale = (): string => LOCALES[language.get()];

/** Tokens, short: 950, 8.2k, 1.4M. */
export function tokensText(count: number): string {
  if (count < 1000) return String(Math.round(count));
  if (count < 1_000_000) return `${short(count / 1000)}k`;
  return `${short(count / 1_000_000)}M`;
}

const short = (value: number): string =>
  value >= 100 ? String(Math.round(value)) : value.toFixed(1).replace(/\.0$/, "");

/** US dollars; null = the price is not known. */
export function costText(cost: number | null): string {
  if (cost === null) return text("unit.noPrice");
  if (cost === 0) return "$0";
  return cost < 0.01 ? `$${cost.toFixed(4)}` : `$${cost.toFixed(2)}`;
}

/** Bytes, short: 512 B, 3.4 KB, 12 MB. */
export function bytesText(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  if (bytes < 1024 ** 2) return `${short(bytes / 1024)} KB`;
  if (bytes < 1024 ** 3) return `${short(bytes / 1024 ** 2)} MB`;
  return `${short(bytes / 1024 ** 3)} GB`;
}

/** A whole number with separators. */
export function countText(count: number): string {
  return count.toLocaleString(locale());
}

const STEPS: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ["year", 31_536_000],
  ["month", 2_592_000],
  ["week", 604_800],
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60],
];

/** How long ago, in words of the chosen language. */
export function ageText(timestamp: string, now: number = Date.now()): string {
  const seconds = (now - Date.parse(timestamp)) / 1000;
  if (Number.isNaN(seconds)) return "";
  const format = new Intl.RelativeTimeFormat(locale(), { numeric: "always", style: "narrow" });
  const step = STEPS.find(([, size]) => seconds >= size);
  if (step === undefined) return text("unit.now");
  return format.format(-Math.floor(seconds / step[1]), step[0]);
}

/** Date and time of day. */
export function timeText(timestamp: string): string {
  const time = new Date(timestamp);
  if (Number.isNaN(time.getTime())) return timestamp;
  return time.toLocaleString(locale(), { dateStyle: "medium", timeStyle: "short" });
}

/** A duration in ms, short: 420 ms, 3.2 s, 5 min. */
export function durationText(ms: number | null): string {
  if (ms === null) return "–";
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${short(ms / 1000)} s`;
  if (ms < 3_600_000) return `${Math.round(ms / 60_000)} min`;
  return `${short(ms / 3_600_000)} h`;
}
