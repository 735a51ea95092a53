/**
 * `npm run dev -w web`: the page with reloads; /api goes to a running `branchline serve`. BRANCHLINE_URL is
 * its address, best the whole line that it printed: with the token behind it, the address that is printed
 * here signs in as well.
 */
import { createServer, type ProxyOptions } from "vite";
import { viteOptions } from "./vite-options.ts";

const given = new URL(process.env.BRANCHLINE_URL ?? "http://127.0.0.1:4317");
const PORT = 5174;

/** The server refuses foreign pages; this page is its own one in all but the port. */
const configure: ProxyOptions["configure"] = (proxy) => {
  proxy.on("proxyReq", (asked, request) => {
    const { origin, host } = request.headers;
    if (origin === `http://${host}`) asked.setHeader("origin", given.origin);
  });
};

const server = await createServer({
  ...viteOptions(),
  server: {
    host: "127.0.0.1",
    port: PORT,
    proxy: { "/api": { target: given.origin, changeOrigin: true, configure } },
  },
});
await server.listen();
const [address = `http://127.0.0.1:${PORT}/`] = server.resolvedUrls?.local ?? [];
console.log(`${address}${given.hash}`);
if (given.hash === "")
  console.log("Sign in with the token of the server, or give it in BRANCHLINE_URL.");
