import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { ALL_ROUTES } from "./routes/all-routes.ts";
import {
  plainRequest,
  type RawAnswer,
  rawRequest,
  type ServerRig,
  serverRig,
} from "./testing/server-rig.ts";

/** A request that must be refused; several at once where they differ in one word only. */
interface Hostile {
  readonly name: string;
  readonly status: readonly number[];
  readonly send: (rig: Target) => Promise<RawAnswer>;
}

interface Target {
  readonly port: number;
  readonly token: string;
  readonly session: string;
}

const bearer = ({ token }: Target): Record<string, string> => ({
  Authorization: `Bearer ${token}`,
});
const own = ({ port }: Target): string => `127.0.0.1:${port}`;

/** Lines of a raw request, the token included. */
function raw(first: string, lines: readonly string[], body = ""): Hostile["send"] {
  return (at) => {
    const filled = [first, ...lines, `Authorization: Bearer ${at.token}`, "Connection: close"]
      .join("\r\n")
      .replaceAll("{own}", own(at))
      .replaceAll("{port}", String(at.port))
      .replaceAll("{s}", at.session);
    return rawRequest(at.port, `${filled}\r\n\r\n${body}`);
  };
}

function plain(
  target: string,
  headers: Readonly<Record<string, string>> = {},
  more: { readonly method?: string; readonly body?: string | Buffer } = {},
): Hostile["send"] {
  return (at) =>
    plainRequest(at.port, {
      path: target.replaceAll("{s}", at.session),
      headers: Object.fromEntries(
        Object.entries({ ...bearer(at), ...headers }).map(([name, value]) => [
          name,
          value.replaceAll("{own}", own(at)).replaceAll("{port}", String(at.port)),
        ]),
      ),
      ...more,
    });
}

const JSON_TYPE = { "Content-Type": "application/json" };

function post(
  target: string,
  body: string | Buffer,
  headers: Readonly<Record<string, string>> = JSON_TYPE,
): Hostile["send"] {
  return plain(target, headers, { method: "POST", body });
}

const GET = "GET /api/sessions HTTP/1.1";
const refused = [400, 403];

const HOSTS: readonly Hostile[] = [
  ...[
    "evil.example",
    "evil.example:{port}",
    "127.0.0.1",
    "127.0.0.1:1",
    "localhost",
    "localhost.:{port}",
    "127.0.0.1.:{port}",
    "127.0.0.1:{port}.",
    "127.0.0.1:0{port}",
    "127.1:{port}",
    "0.0.0.0:{port}",
    "0:{port}",
    "[::]:{port}",
    "[::ffff:127.0.0.1]:{port}",
    "2130706433:{port}",
    "0x7f.0.0.1:{port}",
    "LOCALHOST:{port}",
    "127.0.0.1:{port}@evil.example",
    "evil.example@127.0.0.1:{port}",
    "127.0.0.1:{port}, evil.example",
    "127.0.0.1:{port}/",
    "http://127.0.0.1:{port}",
    "127.0.0.1:{port}#",
    "localtest.me:{port}",
    "127.0.0.1:{port}.evil.example",
    "rebind.127.0.0.1.nip.io:{port}",
    "",
  ].map((host) => ({
    name: `S2 Host: ${host}`,
    status: refused,
    send: raw(GET, [`Host: ${host}`]),
  })),
  {
    name: "S2 two Host headers, own first",
    status: refused,
    send: raw(GET, ["Host: {own}", "Host: evil.example"]),
  },
  {
    name: "S2 two Host headers, own last",
    status: refused,
    send: raw(GET, ["Host: evil.example", "Host: {own}"]),
  },
  {
    name: "S2 two equal Host headers",
    status: refused,
    send: raw(GET, ["Host: {own}", "Host: {own}"]),
  },
  { name: "S2 no Host", status: refused, send: raw(GET, []) },
  {
    name: "S2 HTTP/1.0 without Host",
    status: refused,
    send: raw("GET /api/sessions HTTP/1.0", []),
  },
  {
    name: "S2 HTTP/1.0 with Host",
    status: refused,
    send: raw("GET /api/sessions HTTP/1.0", ["Host: {own}"]),
  },
  {
    name: "S2 absolute form, foreign",
    status: refused,
    send: raw("GET http://evil.example/api/sessions HTTP/1.1", ["Host: {own}"]),
  },
  {
    name: "S2 absolute form, own",
    status: refused,
    send: raw("GET http://{own}/api/sessions HTTP/1.1", ["Host: {own}"]),
  },
  {
    name: "S2 two slashes",
    status: refused,
    send: raw("GET //evil.example/api/sessions HTTP/1.1", ["Host: {own}"]),
  },
  { name: "S2 a folded Host", status: refused, send: raw(GET, ["Host: {own}", " evil.example"]) },
  { name: "S2 a blank before the colon", status: refused, send: raw(GET, ["Host : {own}"]) },
];

const SITES: readonly Hostile[] = [
  ...[
    "null",
    "http://evil.example",
    "https://127.0.0.1:{port}",
    "http://127.0.0.1",
    "http://127.0.0.1:1",
    "http://127.0.0.1:{port}.evil.example",
    "http://127.0.0.1:{port}/",
    "http://localhost:{port}",
    "HTTP://127.0.0.1:{port}",
    "http://evil.example:{port}",
    "file://",
    "chrome-extension://abc",
    "http://127.0.0.1:{port} http://evil.example",
    "http://user@127.0.0.1:{port}",
    "http://127.0.0.1.:{port}",
    "app://127.0.0.1:{port}",
    "data:",
    "about:blank",
  ].flatMap((origin) => [
    {
      name: `S3 GET with Origin: ${origin}`,
      status: [403],
      send: plain("/api/sessions", { Origin: origin }),
    },
    {
      name: `S3 POST with Origin: ${origin}`,
      status: [403],
      send: post("/api/sessions", "{}", { ...JSON_TYPE, Origin: origin }),
    },
  ]),
  ...["cross-site", "same-site", "Same-Origin", "x"].map((site) => ({
    name: `S3 Sec-Fetch-Site: ${site}`,
    status: [403],
    send: plain("/api/sessions", { "Sec-Fetch-Site": site }),
  })),
  {
    name: "S3 two Origins",
    status: refused,
    send: raw(GET, ["Host: {own}", "Origin: http://{own}", "Origin: http://evil.example"]),
  },
  { name: "S3 OPTIONS", status: [403], send: plain("/api/sessions", {}, { method: "OPTIONS" }) },
  { name: "S3 OPTIONS *", status: refused, send: raw("OPTIONS * HTTP/1.1", ["Host: {own}"]) },
  {
    name: "S3 preflight",
    status: [403],
    send: plain(
      "/api/branch",
      { Origin: "http://{own}", "Access-Control-Request-Method": "POST" },
      { method: "OPTIONS" },
    ),
  },
  {
    name: "S3 WebSocket",
    status: refused,
    send: raw(GET, [
      "Host: {own}",
      "Upgrade: websocket",
      "Connection: Upgrade",
      "Sec-WebSocket-Version: 13",
      "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==",
    ]),
  },
  {
    name: "S3 h2c",
    status: refused,
    send: raw(GET, ["Host: {own}", "Upgrade: h2c", "HTTP2-Settings: AAMAAABkAAQCAAAAAAIAAAAA"]),
  },
];

const TYPES: readonly Hostile[] = [
  ...[
    "text/plain",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
    "text/json",
    "application/jsonp",
    "application/json, text/plain",
    "text/plain; application/json",
    "application/json; charset=utf-16",
    "application/json;charset=utf-7",
    "application/ld+json",
    "application/json-patch+json",
    "image/svg+xml",
    "",
  ].map((type) => ({
    name: `S3 body as ${type || "nothing"}`,
    status: [415],
    send: post("/api/sessions", "{}", { "Content-Type": type }),
  })),
  { name: "S3 body without a type", status: [415], send: post("/api/sessions", "{}", {}) },
  {
    name: "S17 gzip body",
    status: [415],
    send: post("/api/sessions", gzipSync("{}"), { ...JSON_TYPE, "Content-Encoding": "gzip" }),
  },
  {
    name: "S17 identity body",
    status: [415],
    send: post("/api/sessions", "{}", { ...JSON_TYPE, "Content-Encoding": "identity" }),
  },
  {
    name: "S17 deflate, br",
    status: [415],
    send: post("/api/sessions", "{}", { ...JSON_TYPE, "Content-Encoding": "deflate, br" }),
  },
  {
    name: "S17 a body of 1 MB and a bit",
    status: [413, 0],
    send: post("/api/sessions", `{"name":"${"x".repeat(1024 * 1024)}"}`),
  },
  {
    name: "S17 a length that is not sent",
    status: [413],
    send: raw(
      "POST /api/sessions HTTP/1.1",
      ["Host: {own}", "Content-Type: application/json", "Content-Length: 99999999"],
      "{",
    ),
  },
  {
    name: "S17 chunks without end",
    status: [413, 0],
    send: (at) =>
      plainRequest(at.port, {
        path: "/api/sessions",
        method: "POST",
        headers: { ...bearer(at), ...JSON_TYPE, "Transfer-Encoding": "chunked" },
        body: Buffer.alloc(2 * 1024 * 1024, 0x20),
      }),
  },
  {
    name: "S17 100 arrays inside one another",
    status: [400],
    send: post("/api/sessions", "[".repeat(100) + "]".repeat(100)),
  },
  {
    name: "S17 100,000 arrays inside one another",
    status: [400],
    send: post("/api/sessions", "[".repeat(100_000)),
  },
  {
    name: "S17 deep objects",
    status: [400],
    send: post("/api/sessions", `${'{"a":'.repeat(80)}1${"}".repeat(80)}`),
  },
  { name: "no JSON", status: [400], send: post("/api/sessions", "{name:1}") },
  {
    name: "no UTF-8",
    status: [400],
    send: post("/api/sessions", Buffer.from([0x7b, 0xff, 0xfe, 0x7d])),
  },
  { name: "a list for an object", status: [400], send: post("/api/sessions", "[]") },
  { name: "null for an object", status: [400], send: post("/api/sessions", "null") },
  {
    name: "members that nobody knows",
    status: [400],
    send: post("/api/sessions", '{"admin":true}'),
  },
  {
    name: "S10 constructor",
    status: [400],
    send: post("/api/sessions", '{"constructor":{"prototype":{"x":1}}}'),
  },
  {
    name: "a name that is no text",
    status: [400],
    send: post("/api/sessions", '{"name":{"a":1}}'),
  },
  {
    name: "GET with a body",
    status: refused,
    send: raw(GET, ["Host: {own}", "Content-Length: 2"], "{}"),
  },
];

const SMUGGLING: readonly Hostile[] = [
  {
    name: "length and chunks",
    status: refused,
    send: raw(
      "POST /api/sessions HTTP/1.1",
      [
        "Host: {own}",
        "Content-Type: application/json",
        "Content-Length: 4",
        "Transfer-Encoding: chunked",
      ],
      "0\r\n\r\n",
    ),
  },
  {
    name: "two lengths",
    status: refused,
    send: raw(
      "POST /api/sessions HTTP/1.1",
      ["Host: {own}", "Content-Type: application/json", "Content-Length: 2", "Content-Length: 3"],
      "{}",
    ),
  },
  {
    name: "a coding that is none",
    status: [400, 403, 501],
    send: raw(
      "POST /api/sessions HTTP/1.1",
      ["Host: {own}", "Content-Type: application/json", "Transfer-Encoding: xchunked"],
      "{}",
    ),
  },
  {
    name: "gzip, chunked",
    status: refused,
    send: raw(
      "POST /api/sessions HTTP/1.1",
      ["Host: {own}", "Content-Type: application/json", "Transfer-Encoding: gzip, chunked"],
      "0\r\n\r\n",
    ),
  },
  {
    name: "a bare LF",
    status: refused,
    send: (at) =>
      rawRequest(
        at.port,
        `GET /api/sessions HTTP/1.1\nHost: ${own(at)}\nAuthorization: Bearer ${at.token}\n\n`,
      ),
  },
  { name: "a NUL in a header", status: refused, send: raw(GET, ["Host: {own}", "X-A: a\0b"]) },
  {
    name: "a header of 20 kB",
    status: [400, 431],
    send: raw(GET, ["Host: {own}", `X-A: ${"a".repeat(20_000)}`]),
  },
  {
    name: "3,000 headers",
    status: [400, 431, 0],
    send: raw(GET, [
      "Host: {own}",
      ...Array.from({ length: 3000 }, (_, at) => `X-${at}: aaaaaaaa`),
    ]),
  },
  { name: "two tokens", status: [400], send: raw(GET, ["Host: {own}", "Authorization: Bearer x"]) },
  {
    name: "two types",
    status: [400],
    send: raw(
      "POST /api/sessions HTTP/1.1",
      [
        "Host: {own}",
        "Content-Type: application/json",
        "Content-Type: text/plain",
        "Content-Length: 2",
      ],
      "{}",
    ),
  },
  {
    name: "Expect",
    status: [400, 417],
    send: raw(
      "POST /api/sessions HTTP/1.1",
      ["Host: {own}", "Content-Type: application/json", "Content-Length: 2", "Expect: something"],
      "{}",
    ),
  },
  {
    name: "no HTTP at all",
    status: [400],
    send: (at) => rawRequest(at.port, "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n"),
  },
  {
    name: "HTTP/2 preface",
    status: [400, 505],
    send: (at) => rawRequest(at.port, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
  },
  {
    name: "HTTP/0.9",
    status: [400],
    send: (at) => rawRequest(at.port, "GET /api/sessions\r\n\r\n"),
  },
];

const IDS: readonly string[] = [
  "..",
  "%2e%2e",
  "%252e%252e",
  "..%2f..%2fetc%2fpasswd",
  "..%5c..%5cwindows",
  "%00",
  "a%00b",
  "%2fetc%2fpasswd",
  "C:%5c",
  "con",
  "nul.jsonl",
  "a/../b",
  ".hidden",
  "a..b",
  "%c0%ae%c0%ae",
  "%ff",
  "~",
  "-",
  "a".repeat(200),
  "*",
  "a%0d%0aSet-Cookie:%20x=1",
  "%25",
  "__proto__",
  "constructor",
  "file:%2f%2f%2fetc%2fpasswd",
  "%e2%80%ae",
  "a%20b",
  "sessions%2f..%2fservers",
  "\\\\host\\share",
  "a;b",
  "a%7cb",
  "`id`",
];

const PATHS: readonly Hostile[] = [
  ...IDS.flatMap((id) => [
    {
      name: `S11 GET session ${id.slice(0, 40)}`,
      status: [400, 404],
      send: raw(`GET /api/sessions/${id} HTTP/1.1`, ["Host: {own}"]),
    },
    {
      name: `S11 DELETE session ${id.slice(0, 40)}`,
      status: [400, 404, 405],
      send: raw(`DELETE /api/sessions/${id} HTTP/1.1`, ["Host: {own}"]),
    },
  ]),
  ...IDS.slice(0, 12).map((id) => ({
    name: `S11 purge ${id}`,
    status: [400, 404, 405],
    send: raw(`DELETE /api/trash/${id}?confirm=${id} HTTP/1.1`, ["Host: {own}"]),
  })),
  ...IDS.slice(0, 12).map((id) => ({
    name: `S11 entry ${id}`,
    status: [400, 404],
    send: raw(`GET /api/sessions/{s}/entries/${id} HTTP/1.1`, ["Host: {own}"]),
  })),
  ...[
    "/../etc/passwd",
    "/%2e%2e/%2e%2e/etc/passwd",
    "/assets/../../server.json",
    "/assets/..%2f..%2fx",
    "/servers/1.json",
    "/.git/config",
    "/index.db",
    "/assets/%00",
    "/assets/a.js%00.png",
    "/x/../../y.txt",
    "/./index.html",
    "/index.html/..;/x.js",
  ].map((target) => ({
    name: `S11 file ${target}`,
    status: [400, 401, 404],
    send: raw(`GET ${target} HTTP/1.1`, ["Host: {own}"]),
  })),
  ...["~-1", "~99999999", "~1e3", "~", "zzzz", "~0x1"].map((entry) => ({
    name: `entry ${entry}`,
    status: [404],
    send: plain(`/api/sessions/{s}/entries/${entry}`),
  })),
  ...["places=-1", "places=a", "places=1-9999", "places=", "places=1,,2", "x=1", ""].map(
    (query) => ({
      name: `rows?${query}`,
      status: [400],
      send: plain(`/api/sessions/{s}/rows?${query}`),
    }),
  ),
  ...["before=999", "before=-1", "after=1e2", "before=150&after=150", "leaf=&x=1"].map((query) => ({
    name: `path?${query}`,
    status: [400],
    send: plain(`/api/sessions/{s}/path?${query}`),
  })),
  ...["lastEventId=abc", "client=../x", "client=a%20b"].map((query) => ({
    name: `events?${query}`,
    status: [400],
    send: plain(`/api/sessions/{s}/events?${query}`),
  })),
  {
    name: "Last-Event-ID that is no number",
    status: [400],
    send: plain("/api/events", { "Last-Event-ID": "x" }),
  },
  {
    name: "an Idempotency-Key of 200",
    status: [400],
    send: post("/api/sessions", "{}", { ...JSON_TYPE, "Idempotency-Key": "k".repeat(200) }),
  },
  {
    name: "an address of 5,000",
    status: refused,
    send: plain(`/api/sessions?q=${"a".repeat(5000)}`),
  },
  {
    name: "purge without confirmation",
    status: [400],
    send: plain("/api/trash/{s}", {}, { method: "DELETE" }),
  },
];

const METHODS: readonly Hostile[] = [
  ...["PUT", "TRACE", "PROPFIND", "SEARCH", "PURGE", "LINK"].map((method) => ({
    name: `method ${method}`,
    status: [400, 405],
    send: plain("/api/sessions", {}, { method }),
  })),
  {
    name: "CONNECT",
    status: [400, 405, 0],
    send: raw("CONNECT 127.0.0.1:1 HTTP/1.1", ["Host: {own}"]),
  },
  {
    name: "a method by header",
    status: [400, 405, 415],
    send: plain(
      "/api/sessions/{s}",
      { ...JSON_TYPE, "X-HTTP-Method-Override": "DELETE" },
      { method: "POST", body: "{}" },
    ),
  },
  { name: "GET where POST is", status: [405], send: plain("/api/branch") },
  { name: "GET undo", status: [405], send: plain("/api/sessions/{s}/undo") },
  {
    name: "HEAD on a change",
    status: [404, 405],
    send: plain("/api/branch", {}, { method: "HEAD" }),
  },
  {
    name: "PATCH where none is",
    status: [405],
    send: plain("/api/health", JSON_TYPE, { method: "PATCH", body: "{}" }),
  },
];

const TOKENS: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
  ["none", {}],
  ["wrong", { Authorization: `Bearer ${"A".repeat(43)}` }],
  ["empty", { Authorization: "Bearer " }],
  ["Basic", { Authorization: "Basic YTpi" }],
  ["a cookie of nonsense", { Cookie: "branchline=1" }],
];

async function target(rig: ServerRig): Promise<Target> {
  const { row } = await rig.client.createSession({ name: "target" });
  return { port: rig.server.port, token: rig.server.token, session: row.id };
}

const TABLE = [...HOSTS, ...SITES, ...TYPES, ...SMUGGLING, ...PATHS, ...METHODS];

test(`S2 S3 S10 S11 S17: none of ${TABLE.length} hostile requests is accepted`, async (t) => {
  assert.ok(TABLE.length >= 150, `${TABLE.length}`);
  const rig = await serverRig(t);
  const at = await target(rig);
  const before = await rig.client.sessions();
  const accepted: string[] = [];
  for (const { name, status, send } of TABLE) {
    const answer = await send(at);
    if (!status.includes(answer.status))
      accepted.push(`${name}: ${answer.status} ${answer.text.slice(0, 120)}`);
    if (/access-control/i.test(answer.text)) accepted.push(`${name}: CORS`);
  }
  assert.deepEqual(accepted, []);
  const after = await rig.client.sessions();
  assert.equal(after.total, before.total, "nothing was made or removed");
  assert.equal((await rig.client.state(at.session)).row.entries, 1);
});

test("S1: every route and every address refuses who has no token, in five ways", async (t) => {
  const rig = await serverRig(t);
  const at = await target(rig);
  const routes = [
    ...ALL_ROUTES.map(({ method, path: where }) => [method.toUpperCase(), where] as const),
    ["GET", "/api/openapi.json"],
    ["GET", "/api/nothing"],
    ["GET", "/api"],
    ["GET", "/nothing"],
    ["POST", "/nothing"],
  ] as const;
  for (const [method, where] of routes) {
    const filled = where.replace("{s}", at.session).replaceAll(/\{\w+\}/g, "x");
    for (const [name, headers] of TOKENS) {
      const body = method === "GET" || method === "DELETE" ? {} : { body: "{}" };
      const sent = { method, path: filled, headers: { ...JSON_TYPE, ...headers }, ...body };
      const { status, text } = await plainRequest(at.port, sent);
      assert.equal(status, 401, `${method} ${where} with ${name}: ${text.slice(0, 100)}`);
    }
  }
});

test("S1: a wrong login gives no cookie, a right one opens the door for this port only", async (t) => {
  const rig = await serverRig(t);
  const { port, token } = rig.server;
  const login = (sent: string): Promise<RawAnswer> =>
    plainRequest(port, { method: "POST", path: "/api/login", headers: JSON_TYPE, body: sent });
  for (const body of [
    '{"token":"x"}',
    '{"token":""}',
    "{}",
    `{"token":"${token}x"}`,
    '{"token":1}',
  ]) {
    const { status, headers } = await login(body);
    assert.equal(status, 401, body);
    assert.equal(headers["set-cookie"], undefined);
  }
  const { status, headers } = await login(JSON.stringify({ token }));
  assert.equal(status, 200);
  const [cookie = ""] = [headers["set-cookie"]].flat();
  assert.match(
    cookie,
    new RegExp(`^branchline-${port}=[\\w-]{43}; Path=/; HttpOnly; SameSite=Strict$`),
  );
  assert.ok(!cookie.includes(token), "S4: the cookie is no copy of the token");
  const [pair = ""] = cookie.split(";");
  const ask = (value: string): Promise<RawAnswer> =>
    plainRequest(port, { path: "/api/sessions", headers: { Cookie: value } });
  assert.equal((await ask(`a=b; ${pair}`)).status, 200);
  assert.equal((await ask(pair.replace(String(port), "1"))).status, 401);
  assert.equal((await ask(`${pair}; ${pair}`)).status, 401);
  assert.equal((await ask(`branchline-${port}=${token}`)).status, 401);
});

test("S4 S20: every answer has the headers that keep a page in its place", async (t) => {
  const page = path.join((await serverRig(t)).folder, "page");
  mkdirSync(path.join(page, "assets"), { recursive: true });
  writeFileSync(path.join(page, "index.html"), "<!doctype html><title>x</title>");
  writeFileSync(path.join(page, "assets/a.js"), "1");
  const rig = await serverRig(t, { page });
  const { port, token } = rig.server;
  const headers = { Authorization: `Bearer ${token}` };
  for (const where of [
    "/",
    "/s/abc",
    "/assets/a.js",
    "/api/health",
    "/api/nothing",
    "/assets/b.js",
  ]) {
    const answer = await plainRequest(port, { path: where, headers });
    const said = answer.headers;
    assert.equal(said["x-content-type-options"], "nosniff", where);
    assert.equal(said["referrer-policy"], "no-referrer", where);
    assert.equal(said["cross-origin-resource-policy"], "same-origin", where);
    assert.equal(said["cross-origin-opener-policy"], "same-origin", where);
    assert.match(
      String(said["content-security-policy"]),
      /default-src 'none'.*frame-ancestors 'none'/,
      where,
    );
    assert.equal(said["access-control-allow-origin"], undefined, where);
    if (where !== "/assets/a.js") assert.match(String(said["cache-control"]), /no-store/, where);
  }
  const start = await plainRequest(port, { path: "/" });
  assert.equal(start.status, 200, "the page itself holds no data");
  assert.match(
    String(start.headers["content-security-policy"]),
    /require-trusted-types-for 'script'/,
  );
  assert.doesNotMatch(String(start.headers["content-security-policy"]), /unsafe|\*/);
});

test("S1: another address than loopback needs a word of its own", async (t) => {
  await assert.rejects(serverRig(t, { host: "0.0.0.0" } as object), { code: "USAGE" });
});
