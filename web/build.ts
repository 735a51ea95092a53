/** `npm run build -w web`: the page as web/dist, files with hashes in their names. */
import { build } from "vite";
import { buildExport } from "./build-export.ts";
import { viteOptions } from "./vite-options.ts";

await build(viteOptions());
await buildExport();
