/** Brings the full text of one index up to date and says how many entries it put in. */
import { makeTextIndex } from "./search-desk.ts";

const [database = ""] = process.argv.slice(2);
const { index, text } = makeTextIndex(database);
await index.session("/nowhere");
const report = await text.update();
await index.close();
process.stdout.write(`${report?.entries ?? Number.NaN}`);
