/** One case on one side, in a process of its own. Arguments: side, index of the case, folder, file. */
import { writeSync } from "node:fs";
import { loadSide } from "./load-side.ts";
import type { Facts } from "./row.ts";
import { ROWS } from "./rows.ts";
import type { SideName } from "./side.ts";

const [name = "", index = "", folder = "", file = ""] = process.argv.slice(2);

/** Node's readline splits on U+2028 and U+2029, too (row 14). */
function tell(facts: Facts): void {
  const text = JSON.stringify(facts).replace(/[\u2028\u2029]/g, (at) =>
    at === "\u2028" ? "\\u2028" : "\\u2029",
  );
  writeSync(3, `${text}\n`);
}

const row = ROWS[Number(index)];
if (row === undefined) throw new RangeError(`no case ${index}`);
const side = await loadSide(name);
tell({ step: "begin" });
try {
  await row.run({
    ...{ side, name: name as SideName, folder, file },
    tell: (facts) => tell({ facts }),
    step: (step) => tell({ step }),
  });
  tell({ end: "ended", rssMb: Math.round(process.resourceUsage().maxRSS / 1024) });
} catch (error) {
  const code = (error as { code?: unknown }).code;
  const message = error instanceof Error ? error.message : String(error);
  const text = message.replaceAll(folder, "…").replace(/\s+/g, " ").slice(0, 90);
  tell({ end: "threw", detail: typeof code === "string" ? code : text });
}
process.exit(0);
