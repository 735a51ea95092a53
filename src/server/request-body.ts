import { HttpError } from "./http-error.ts";
import type { ServerLimits } from "./limits.ts";

const JSON_TYPE = /^application\/json(?:\s*;\s*charset=utf-8)?$/i;

/**
 * The JSON of a request's body; an empty body is `{}`. JSON only, which no foreign page can send without a
 * preflight that is refused (reliability.md S3). Throws HTTP_TYPE_UNSUPPORTED, HTTP_TOO_LARGE,
 * HTTP_BAD_REQUEST for what is no JSON, no UTF-8 or nested too deep (S17).
 */
export async function readBody(request: Request, limits: ServerLimits): Promise<unknown> {
  if (request.headers.has("content-encoding")) {
    throw new HttpError("HTTP_TYPE_UNSUPPORTED", "Encoded bodies are not taken.");
  }
  const type = request.headers.get("content-type");
  // A removal has no body as a rule, and no foreign page can send one without a preflight.
  if (request.method === "DELETE" && type === null && !hasBody(request)) return {};
  if (!JSON_TYPE.test(type ?? "")) {
    throw new HttpError("HTTP_TYPE_UNSUPPORTED", "The body has to be application/json.");
  }
  const text = await readText(request, limits.bodyBytes);
  if (text.trim() === "") return {};
  return parse(text, limits.bodyDepth);
}

function hasBody({ headers }: Request): boolean {
  return headers.has("transfer-encoding") || (headers.get("content-length") ?? "0") !== "0";
}

async function readText(request: Request, limit: number): Promise<string> {
  if (Number(request.headers.get("content-length") ?? 0) > limit) throw tooLarge(limit);
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of request.body ?? []) {
    bytes += part.length;
    if (bytes > limit) throw tooLarge(limit);
    parts.push(part);
  }
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(parts));
  } catch {
    throw new HttpError("HTTP_BAD_REQUEST", "The body is not UTF-8.");
  }
}

/** Brackets are counted before parsing, so that no parser or checker meets the depth. */
function parse(text: string, depth: number): unknown {
  if (depthOf(text) > depth)
    throw new HttpError("HTTP_BAD_REQUEST", "The body is nested too deep.");
  try {
    return JSON.parse(text, withoutPrototypes);
  } catch {
    throw new HttpError("HTTP_BAD_REQUEST", "The body is no JSON.");
  }
}

/** A member that would name a prototype is refused by leaving it out (reliability.md S10). */
function withoutPrototypes(key: string, value: unknown): unknown {
  return key === "__proto__" ? undefined : value;
}

function depthOf(text: string): number {
  let deepest = 0;
  let depth = 0;
  let isText = false;
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (isText) {
      if (character === "\\") at++;
      else if (character === '"') isText = false;
    } else if (character === '"') isText = true;
    else if (character === "{" || character === "[") deepest = Math.max(deepest, ++depth);
    else if (character === "}" || character === "]") depth--;
  }
  return deepest;
}

function tooLarge(limit: number): HttpError {
  return new HttpError("HTTP_TOO_LARGE", `The body is larger than ${limit} bytes.`);
}
