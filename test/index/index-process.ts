import { IndexMachine } from "./index-machine.ts";

/** Another process that brings files up to date; prints what it knows of the last one. */
const [database, ...paths] = process.argv.slice(2) as [string, ...string[]];
const machine = new IndexMachine();
const index = machine.index({ path: database });
let entries = 0;
for (const path of paths) entries = (await index.session(path))?.summary.entries ?? -1;
await index.close();
machine.remove();
console.log(JSON.stringify({ entries, rebuilds: index.counters.rebuilds }));
