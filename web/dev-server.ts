/** `npm run dev -w web`: the page with reloads; /api goes to a running `branchline serve` (BRANCHLINE_URL). */
import { createServer } from "vite";
import { viteOptions } from "./vite-options.ts";

const target = process.env.BRANCHLINE_URL ?? "http://127.0.0.1:4317";
const server = await createServer({
  ...viteOptions(),
  server: { host: "127.0.0.1", port: 5174, proxy: { "/api": { target, changeOrigin: true } } },
});
await server.listen();
server.printUrls();
