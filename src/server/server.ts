import { chmod, mkdir, rm, writeFile } from "node:fs/promises";
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { homedir, networkInterfaces } from "node:os";
import path from "node:path";
import { getRequestListener } from "@hono/node-server";
import { BranchlineError } from "../errors.ts";
import { STANDARD_PROMPT } from "../harness/standard-agent.ts";
import type { Workspace } from "../harness/workspace.ts";
import { AgreedInstructions } from "../local/agreed-instructions.ts";
import type { LocalIndex } from "../local/local-index.ts";
import { AccessToken } from "./access-token.ts";
import { createApp, SECURITY_HEADERS } from "./app.ts";
import { EventHub } from "./event-hub.ts";
import { type GeneratedSession, GeneratedSessions } from "./generated-sessions.ts";
import { errorAnswer, HttpError } from "./http-error.ts";
import { Library } from "./library.ts";
import { LibraryWatch } from "./library-watch.ts";
import { DEFAULT_LIMITS, HEADER_BYTES, type ServerLimits } from "./limits.ts";
import { checkRequest } from "./request-guard.ts";
import { ALL_ROUTES } from "./routes/all-routes.ts";
import { Runs } from "./runs.ts";
import { SearchService } from "./search-service.ts";
import { SeenEntries } from "./seen-entries.ts";
import type { ServerCore } from "./server-core.ts";
import { type ServerLog, SILENT_LOG } from "./server-log.ts";
import { type ModelSources, ServerModels } from "./server-models.ts";
import type { ServerRoot } from "./server-root.ts";
import { SessionHosts } from "./session-hosts.ts";
import type { SessionRun } from "./session-run.ts";
import { StaticFiles } from "./static-files.ts";
import { TeachingSession } from "./teaching.ts";
import { EVENT_BYTES, teachingAnswer } from "./teaching-answer.ts";

/** The port of `branchline serve` unless it is taken or another one is asked for. */
export const DEFAULT_PORT = 4317;
/** Ports behind the asked one that are tried when it is taken. */
const TRIED_PORTS = 64;

/** What a server is started with. */
export interface ServerOptions {
  /** Where sessions are looked for; new ones go to the first. The caller closes their stores. */
  readonly roots: readonly [ServerRoot, ...ServerRoot[]];
  /** The caller closes it, after the server. */
  readonly index: LocalIndex | null;
  /** The person's home folder; default: the system's. */
  readonly home?: string;
  /** Folder of conversations that name none. */
  readonly cwd: string;
  readonly version: string;
  /** Default 4317; the next free one where it is taken. 0 = any free one. */
  readonly port?: number;
  /** Default 127.0.0.1. Throws USAGE for others unless `isExposed`. */
  readonly host?: string;
  readonly isExposed?: boolean;
  /** Folder of the built page; without one only the API is served. */
  readonly page?: string;
  readonly models: ModelSources;
  /** Sessions that are listed with the samples and made when they are opened first. Default: none. */
  readonly generated?: readonly GeneratedSession[];
  /** The fenced folder in which the tools of runs work. */
  readonly workspace: Workspace;
  readonly log?: ServerLog;
  readonly limits?: Partial<ServerLimits>;
  /** For tests; default: 256 random bits. */
  readonly token?: string;
}

/** A server that runs. */
export interface RunningServer extends AsyncDisposable {
  /** Without the token: `http://127.0.0.1:4317`. */
  readonly origin: string;
  /** What a person opens: the origin with the token as fragment. */
  readonly address: string;
  readonly port: number;
  readonly token: string;
  readonly core: ServerCore;
  /** False where no built page was found: only the API is served. */
  readonly hasPage: boolean;
  /** Settles runs, ends streams, closes sessions. Resolves when everything is on disk. */
  close(): Promise<void>;
}

const LOOPBACK: ReadonlySet<string> = new Set(["127.0.0.1", "::1", "localhost"]);

/** Starts a server. Throws USAGE, IO_FAILED where no port can be had. The caller closes it. */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const { host = "127.0.0.1", log = SILENT_LOG } = options;
  if (!LOOPBACK.has(host) && options.isExposed !== true) throw notLoopback(host);
  const limits: ServerLimits = { ...DEFAULT_LIMITS, ...options.limits };
  let port = 0;
  const token = new AccessToken(() => port, options.token);
  const core = makeCore(options, { limits, token, log });
  const files = options.page === undefined ? null : await StaticFiles.load(options.page);
  const app = createApp({ core, routes: ALL_ROUTES, files });
  const hosts = new Set<string>();
  const server = makeServer({ hosts, limits, listener: getRequestListener(app.fetch), log });
  port = await listen(server, host, options.port ?? DEFAULT_PORT);
  for (const name of hostNames(host)) hosts.add(`${name}:${port}`);
  const origin = `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
  const note = await writeNote(core.library.home.directory, { origin, token: token.text, port });
  return {
    ...{ origin, port, core },
    hasPage: files !== null,
    address: `${origin}/#token=${token.text}`,
    token: token.text,
    close: () => closeAll(server, core, note),
    [Symbol.asyncDispose]: () => closeAll(server, core, note),
  };
}

interface CoreParts {
  readonly limits: ServerLimits;
  readonly token: AccessToken;
  readonly log: ServerLog;
}

/** What the routes work with, without a socket. */
export function makeCore(options: ServerOptions, { limits, token, log }: CoreParts): ServerCore {
  const hub = new EventHub(limits);
  const home = options.home ?? homedir();
  const [{ directory }] = options.roots;
  const generated = new GeneratedSessions(options.generated ?? [], directory, hub);
  const [{ store }] = options.roots;
  const seen = new SeenEntries({
    values: store.values,
    onFailure: (error) => log.error({ error: String(error) }, "what was seen is not kept"),
  });
  const isRunning = (session: string): boolean => runs.stateOf(session) !== null;
  const { roots, index } = options;
  const library = new Library({ roots, index, generated, seen, isRunning });
  const hosts = new SessionHosts({ library, generated, hub, limits, log });
  const { cwd, version } = options;
  const teaching = new TeachingSession(library);
  const search = new SearchService(library, hub);
  const models = new ServerModels(options.models);
  const instructions = new AgreedInstructions(library.home.store.values, STANDARD_PROMPT);
  const beforeEnd = async (run: SessionRun, runId: string): Promise<void> => {
    if (teaching.hasRun(runId)) teaching.keepEnd(runId, await teachingAnswer(run, EVENT_BYTES));
  };
  const { workspace } = options;
  const runs = new Runs({ models, instructions, workspace, log, beforeEnd });
  const watch = new LibraryWatch({ library, hub, log, everyMs: limits.libraryMs });
  return {
    library,
    hub,
    hosts,
    teaching,
    search,
    watch,
    home,
    models,
    instructions,
    runs,
    token,
    limits,
    log,
    cwd,
    version,
    page: options.page ?? null,
  };
}

interface ServerParts {
  readonly hosts: ReadonlySet<string>;
  readonly limits: ServerLimits;
  readonly listener: ReturnType<typeof getRequestListener>;
  readonly log: ServerLog;
}

function makeServer({ hosts, limits, listener, log }: ServerParts): Server {
  let sockets = 0;
  const surplus = new WeakSet<Socket>();
  const server = createServer(
    {
      headersTimeout: limits.headersMs,
      requestTimeout: limits.requestMs,
      connectionsCheckingInterval: limits.slowCheckMs,
      keepAliveTimeout: 5000,
      maxHeaderSize: HEADER_BYTES,
      insecureHTTPParser: false,
    },
    (request, response) => {
      const busy = new HttpError("HTTP_BUSY", "There are too many connections.");
      const refusal = surplus.has(request.socket) ? busy : checkRequest(request, { hosts });
      if (refusal === null) {
        const { url = "", method = "" } = request;
        const began = performance.now();
        response.once("close", () => {
          const [path] = url.split("?", 1);
          const ms = Math.round(performance.now() - began);
          log.info({ method, path, status: response.statusCode, ms }, "request");
        });
        void listener(request, response);
      } else {
        log.warn({ method: request.method, code: refusal.code }, "refused");
        refuse(response, refusal);
        request.resume();
      }
    },
  );
  server.on("connection", (socket) => {
    sockets++;
    if (sockets > limits.sockets) surplus.add(socket);
    socket.once("close", () => sockets--);
    socket.on("error", () => socket.destroy());
  });
  // Beyond twice the limit there is not even an answer.
  server.maxConnections = limits.sockets * 2;
  server.on("checkExpectation", (_request, response) =>
    refuse(response, new HttpError("HTTP_BAD_REQUEST", "No expectations are met here.")),
  );
  return server;
}

function refuse(response: ServerResponse, refusal: HttpError): void {
  const { status, body } = errorAnswer(refusal);
  const type = { "Content-Type": "application/json; charset=utf-8", Connection: "close" };
  response.writeHead(status, { ...SECURITY_HEADERS, ...type });
  response.end(JSON.stringify(body));
}

async function listen(server: Server, host: string, asked: number): Promise<number> {
  const last = asked === 0 ? 0 : Math.min(65_535, asked + TRIED_PORTS);
  for (let port = asked; port <= last; port++) {
    const failure = await tryPort(server, host, port);
    if (failure === null) return (server.address() as AddressInfo).port;
    if (failure.code !== "EADDRINUSE") throw cannotListen(host, port, failure);
  }
  throw cannotListen(host, asked, { code: "EADDRINUSE" });
}

function tryPort(
  server: Server,
  host: string,
  port: number,
): Promise<NodeJS.ErrnoException | null> {
  return new Promise((resolve) => {
    const onError = (error: NodeJS.ErrnoException): void => {
      server.off("listening", onListening);
      resolve(error);
    };
    const onListening = (): void => {
      server.off("error", onError);
      resolve(null);
    };
    server.once("error", onError);
    server.once("listening", onListening);
    server.listen({ port, host, exclusive: true });
  });
}

function cannotListen(
  host: string,
  port: number,
  { code = "?" }: { readonly code?: string | undefined },
): BranchlineError<"IO_FAILED"> {
  return new BranchlineError(
    "IO_FAILED",
    { operation: "listen", path: `${host}:${port}`, errno: code },
    { message: `No port can be had at ${host} from ${port} on (${code}).` },
  );
}

function notLoopback(host: string): BranchlineError<"USAGE"> {
  const message = `${host} can be reached from other machines.`;
  const hint =
    "Say --expose as well if you want that; everybody with the address and token can write.";
  return new BranchlineError("USAGE", {}, { message, hint });
}

/** The names under which a server may be asked: exactly these. */
function hostNames(host: string): readonly string[] {
  if (LOOPBACK.has(host)) return ["127.0.0.1", "localhost", "[::1]"];
  const isAny = host === "0.0.0.0" || host === "::";
  const all = Object.values(networkInterfaces()).flatMap((one) => one ?? []);
  const addresses = isAny ? all.map(({ address }) => address) : [host];
  const names = addresses.map((one) => (one.includes(":") ? `[${one}]` : one));
  return [...names, "localhost"];
}

/** Tells programs of the same user where the server is; readable for nobody else (reliability.md S1). */
async function writeNote(
  root: string,
  note: { readonly origin: string; readonly token: string; readonly port: number },
): Promise<string> {
  const folder = path.join(root, "servers");
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const file = path.join(folder, `${note.port}.json`);
  const text = JSON.stringify({ ...note, pid: process.pid });
  await rm(file, { force: true });
  await writeFile(file, text, { mode: 0o600, flag: "wx" });
  await chmod(file, 0o600);
  return file;
}

async function closeAll(server: Server, core: ServerCore, note: string): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  await core.runs.close();
  await core.watch.close();
  core.hub.close();
  await core.hosts.close();
  await core.library.seen.close();
  server.closeIdleConnections();
  const late = setTimeout(() => server.closeAllConnections(), 500);
  await closed;
  clearTimeout(late);
  await rm(note, { force: true });
}
