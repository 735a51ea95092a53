import { retryAfterText } from "../../model/retry-after.ts";
import { errorIn } from "./chat-answer.ts";

/** Bytes of a refusal's body that are read. */
const LONGEST = 64 * 1024;
/** Characters of a body that is no JSON. */
const SHOWN = 300;

async function bodyText(response: Response): Promise<string> {
  if (response.body === null) return "";
  const decoder = new TextDecoder();
  let text = "";
  for await (const piece of response.body) {
    text += decoder.decode(piece, { stream: true });
    if (text.length > LONGEST) break;
  }
  return text;
}

function reasonOf(body: string): string {
  try {
    const error = errorIn(JSON.parse(body));
    if (error !== null) return error;
  } catch (error) {
    // Gateways answer with pages: their words are better than none.
    if (!(error instanceof SyntaxError)) throw error;
  }
  return body
    .replace(/<[^>]*>/g, " ")
    .replace(/\s+/g, " ")
    .trim()
    .slice(0, SHOWN);
}

/** What a refused request says: `429 rate_limit_exceeded: … (retry after 2 s)`. */
export async function refusalText(response: Response, now: number): Promise<string> {
  const reason = reasonOf(await bodyText(response)) || response.statusText || "no reason given";
  const wait = retryAfterText((name) => response.headers.get(name), now);
  return `${response.status} ${reason}${wait}`;
}
