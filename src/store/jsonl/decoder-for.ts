import { detectFormat } from "../../entry/format.ts";
import {
  type LineDecoder,
  type PhysicalLine,
  SessionDecoder,
} from "../../entry/session-decoder.ts";
import { V4Decoder } from "../../entry/v4-decoder.ts";

/** The decoder of a file: v4 is told by its first line, everything else is read as Pi's v1 to v3. */
export function decoderFor(first: PhysicalLine): LineDecoder {
  // An overlong first line has no bytes here; it is no header of v4.
  const text = first.bytes === null ? "" : new TextDecoder().decode(first.bytes);
  return detectFormat(text) === "pi-v4" ? new V4Decoder() : new SessionDecoder();
}
