import type { IncomingMessage } from "node:http";
import { HttpError } from "./http-error.ts";
import { TARGET_LENGTH } from "./limits.ts";

/** What a request must look like before anything else looks at it. */
export interface GuardOptions {
  /** The exact values that `Host` may have: host and port. */
  readonly hosts: ReadonlySet<string>;
}

/** Methods that any route has. OPTIONS is nobody's: there is no CORS here. */
const METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "POST", "PATCH", "DELETE"]);

/** Headers that may stand once only: two of them are a trick. */
const SINGLE: ReadonlySet<string> = new Set([
  "authorization",
  "content-encoding",
  "content-length",
  "content-type",
  "cookie",
  "host",
  "idempotency-key",
  "last-event-id",
  "origin",
  "sec-fetch-site",
  "transfer-encoding",
]);

/** Fetch metadata that a browser sends for our own page, and for an address that a person typed. */
const OWN_SITES: ReadonlySet<string> = new Set(["same-origin", "none"]);

/** Whatever a plain address does not have. */
const NOT_PLAIN = /[^\x21-\x7e]|\\/;

/**
 * Looks at a request as it came over the wire, before any routing (reliability.md S2, S3, S17): one
 * `Host` by exact match, HTTP/1.1, a plain path, an `Origin` of our own or none, no preflight, no
 * encoded body. Raw headers, because the parsed ones hide doubles. Gives the refusal, null = go on.
 */
export function checkRequest(request: IncomingMessage, options: GuardOptions): HttpError | null {
  try {
    const headers = singleHeaders(request.rawHeaders);
    checkHost(request, headers, options.hosts);
    checkMethod(request.method ?? "");
    checkTarget(request.url ?? "");
    checkSite(headers);
    checkBody(request.method ?? "", headers);
    return null;
  } catch (error) {
    if (error instanceof HttpError) return error;
    throw error;
  }
}

function singleHeaders(raw: readonly string[]): ReadonlyMap<string, string> {
  const headers = new Map<string, string>();
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const name = (raw[at] as string).toLowerCase();
    if (headers.has(name) && SINGLE.has(name)) throw bad(`The header ${name} stands twice.`);
    headers.set(name, raw[at + 1] as string);
  }
  return headers;
}

function checkHost(
  request: IncomingMessage,
  headers: ReadonlyMap<string, string>,
  hosts: ReadonlySet<string>,
): void {
  if (request.httpVersion !== "1.1") throw bad("Only HTTP/1.1 is spoken here.");
  if (!hosts.has(headers.get("host") ?? "")) {
    throw new HttpError("HTTP_FORBIDDEN", "The Host header names another server.");
  }
  if (headers.has("upgrade")) throw bad("Nothing can be upgraded to here.");
}

function checkMethod(method: string): void {
  if (METHODS.has(method)) return;
  if (method === "OPTIONS") {
    throw new HttpError("HTTP_FORBIDDEN", "Other origins are not served.");
  }
  throw new HttpError("HTTP_METHOD_NOT_ALLOWED", "This method is not served.");
}

/** Decoded once, a path must not hold what a second decoding or a file system would act on. */
function checkTarget(target: string): void {
  if (target.length > TARGET_LENGTH) throw bad("The address is too long.");
  if (!target.startsWith("/") || target.startsWith("//") || NOT_PLAIN.test(target)) {
    throw bad("The address is no plain path.");
  }
  const [path = ""] = target.split("?", 1);
  const decoded = decodeOnce(path);
  if (decoded === null || /[\p{Cc}\\%]/u.test(decoded)) throw bad("The path is not plain.");
  const hasHiddenSlash = decoded.split("/").length !== path.split("/").length;
  const isClimbing = decoded.split("/").some((part) => part === "." || part === "..");
  if (hasHiddenSlash || isClimbing || path.includes("//")) throw bad("The path is not plain.");
}

function decodeOnce(path: string): string | null {
  try {
    return decodeURIComponent(path);
  } catch {
    return null;
  }
}

function checkSite(headers: ReadonlyMap<string, string>): void {
  const origin = headers.get("origin");
  const own = `http://${headers.get("host") ?? ""}`;
  if (origin !== undefined && origin !== own) {
    throw new HttpError("HTTP_FORBIDDEN", "Other origins are not served.");
  }
  const site = headers.get("sec-fetch-site");
  if (site !== undefined && !OWN_SITES.has(site)) {
    throw new HttpError("HTTP_FORBIDDEN", "Other sites are not served.");
  }
}

function checkBody(method: string, headers: ReadonlyMap<string, string>): void {
  if (headers.has("content-encoding")) {
    throw new HttpError("HTTP_TYPE_UNSUPPORTED", "Encoded bodies are not taken.");
  }
  const coding = headers.get("transfer-encoding");
  if (coding !== undefined && coding !== "chunked") throw bad("This transfer coding is not taken.");
  const hasBody = coding !== undefined || (headers.get("content-length") ?? "0") !== "0";
  if (hasBody && (method === "GET" || method === "HEAD")) throw bad("A question has no body.");
}

function bad(message: string): HttpError {
  return new HttpError("HTTP_BAD_REQUEST", message);
}
