import { readFileSync } from "node:fs";

function packageVersion(): string {
  const text = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  const data: unknown = JSON.parse(text);
  const isRecord = typeof data === "object" && data !== null && "version" in data;
  return isRecord && typeof data.version === "string" ? data.version : "0.0.0";
}

/** Version of the package. */
export const VERSION: string = packageVersion();
