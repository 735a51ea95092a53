import path from "node:path";
import react from "@vitejs/plugin-react";
import type { InlineConfig } from "vite";

const HERE = import.meta.dirname;

/**
 * Options of vite for the build and the development server: names with hashes, nothing inlined
 * (the page's content policy allows only files of its own origin).
 */
export function viteOptions(): InlineConfig {
  return {
    root: HERE,
    configFile: false,
    plugins: [react()],
    resolve: {
      alias: [
        { find: /^branchline\/protocol\//, replacement: `${path.join(HERE, "../src/protocol")}/` },
        { find: "branchline/client", replacement: path.join(HERE, "../src/client/index.ts") },
      ],
    },
    build: {
      outDir: path.join(HERE, "dist"),
      emptyOutDir: true,
      target: "es2024",
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      sourcemap: false,
    },
  };
}
