import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { brotliCompressSync, gzipSync, constants as zlib } from "node:zlib";

const TYPES: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".ico": "image/x-icon",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json; charset=utf-8",
  ".map": "application/json; charset=utf-8",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".txt": "text/plain; charset=utf-8",
  ".webmanifest": "application/manifest+json",
  ".woff2": "font/woff2",
};

/** What the page may do (reliability.md S5, S6, S20): its own scripts and styles, its own server, nothing else. */
export const PAGE_POLICY: string = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "font-src 'self'",
  "worker-src 'self'",
  "manifest-src 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types branchline",
].join("; ");

interface StaticFile {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly type: string;
}

type Packing = "br" | "gzip";

/** Better ones take several times as long for a few percent. */
const QUALITY = 9;

/** Kinds that become smaller. */
const PACKED = /^(?:text\/|application\/|image\/svg)/;

/**
 * The files of the page, all read at the start: an address is looked up in a table and never becomes a
 * path (reliability.md S11). Every address without a file and without a dot is the page itself, which
 * reads it.
 */
export class StaticFiles {
  readonly #files: ReadonlyMap<string, StaticFile>;
  /** What was packed at the first question for it, by packing and address. */
  readonly #packed = new Map<string, Uint8Array<ArrayBuffer>>();

  private constructor(files: ReadonlyMap<string, StaticFile>) {
    this.#files = files;
  }

  /** Reads a folder; null where it has no `index.html`. Throws IO errors of the system. */
  static async load(folder: string): Promise<StaticFiles | null> {
    const files = new Map<string, StaticFile>();
    const found = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
    for (const one of found) {
      const type = TYPES[path.extname(one.name)];
      if (!one.isFile() || type === undefined) continue;
      const place = path.join(one.parentPath, one.name);
      const address = `/${path.relative(folder, place).split(path.sep).join("/")}`;
      files.set(address, { bytes: new Uint8Array(await readFile(place)), type });
    }
    return files.has("/index.html") ? new StaticFiles(files) : null;
  }

  /** The answer to a path, undefined where it is none of ours. `accepted` = its Accept-Encoding. */
  answer(address: string, accepted = ""): Response | undefined {
    const isPage = !address.startsWith("/api/") && !path.posix.basename(address).includes(".");
    const name = isPage ? "/index.html" : address;
    const file = this.#files.get(name);
    if (file === undefined) return undefined;
    const isLasting = address.startsWith("/assets/");
    const packing = packingFor(file, accepted);
    return new Response(packing === null ? file.bytes : this.#pack(name, file, packing), {
      headers: {
        "Content-Type": file.type,
        ...(packing === null ? {} : { "Content-Encoding": packing }),
        Vary: "Accept-Encoding",
        "Content-Security-Policy": PAGE_POLICY,
        "Cache-Control": isLasting ? "max-age=31536000, immutable" : "no-store",
      },
    });
  }

  #pack(name: string, { bytes }: StaticFile, packing: Packing): Uint8Array<ArrayBuffer> {
    const key = `${packing} ${name}`;
    const known = this.#packed.get(key);
    if (known !== undefined) return known;
    const params = { [zlib.BROTLI_PARAM_QUALITY]: QUALITY };
    const made = packing === "br" ? brotliCompressSync(bytes, { params }) : gzipSync(bytes);
    const packed = new Uint8Array(made);
    this.#packed.set(key, packed);
    return packed;
  }
}

/** How a file is sent: packed where that is worth it and the browser can read it. */
function packingFor({ type, bytes }: StaticFile, accepted: string): Packing | null {
  if (!PACKED.test(type) || bytes.length < 1000) return null;
  const offered = accepted.split(",").map((one) => one.trim().split(";")[0]);
  if (offered.includes("br")) return "br";
  return offered.includes("gzip") ? "gzip" : null;
}
