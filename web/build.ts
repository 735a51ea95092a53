/** `npm run build -w web`: the page as web/dist, files with hashes in their names. */
import { build } from "vite";
import { viteOptions } from "./vite-options.ts";

await build(viteOptions());
