import { createHash, randomBytes, timingSafeEqual } from "node:crypto";

/** Name of the scheme in `Authorization`. */
const BEARER = /^Bearer ([A-Za-z0-9_-]{43})$/;
const COOKIE_VALUE = /^[A-Za-z0-9_-]{43}$/;

/**
 * The secret of one server start (reliability.md S1, S4): 256 random bits, shown once in the printed
 * address as a fragment. Pages swap it for a cookie that is no copy of it, so that a cookie that leaks
 * opens no other door. Compared in constant time.
 */
export class AccessToken {
  /** 43 characters of base64url. */
  readonly text: string;
  /** Value of the cookie. */
  readonly cookie: string;
  /** Cookies do not tell ports apart, so the name does. */
  readonly #port: () => number;

  constructor(port: () => number, text: string = randomBytes(32).toString("base64url")) {
    this.text = text;
    this.cookie = createHash("sha256").update(`cookie\0${text}`).digest("base64url");
    this.#port = port;
  }

  /** Name of the cookie. */
  get cookieName(): string {
    return `branchline-${this.#port()}`;
  }

  /** The header that gives a page its cookie: HttpOnly, for this site only, until the browser ends. */
  get setCookie(): string {
    return `${this.cookieName}=${this.cookie}; Path=/; HttpOnly; SameSite=Strict`;
  }

  /** True where the text is the token. */
  accepts(text: string): boolean {
    return isEqual(text, this.text);
  }

  /** True where the request carries the token or the cookie. */
  allows(headers: Headers): boolean {
    const bearer = BEARER.exec(headers.get("authorization") ?? "")?.[1];
    if (bearer !== undefined) return isEqual(bearer, this.text);
    if (headers.has("authorization")) return false;
    const values = cookieValues(headers.get("cookie") ?? "", this.cookieName);
    const [value] = values;
    return values.length === 1 && value !== undefined && isEqual(value, this.cookie);
  }
}

function cookieValues(header: string, name: string): readonly string[] {
  const values: string[] = [];
  for (const part of header.split(";")) {
    const at = part.indexOf("=");
    if (at < 0 || part.slice(0, at).trim() !== name) continue;
    const value = part.slice(at + 1).trim();
    values.push(COOKIE_VALUE.test(value) ? value : "");
  }
  return values;
}

/** Both are hashed first, so that neither length nor content shows in the time. */
function isEqual(a: string, b: string): boolean {
  const hash = (text: string): Buffer => createHash("sha256").update(text).digest();
  return timingSafeEqual(hash(a), hash(b));
}
