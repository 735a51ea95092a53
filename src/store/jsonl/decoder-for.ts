import { detectFormat } from "../../entry/format.ts";
import {
  type LineDecoder,
  type PhysicalLine,
  SessionDecoder,
} from "../../entry/session-decoder.ts";

/**
 * The decoder of a file: v4 is told by its first line, everything else is read as Pi's v1 to v3. What
 * reads v4 is loaded with the first such file.
 */
export async function decoderFor(first: PhysicalLine): Promise<LineDecoder> {
  // An overlong first line has no bytes here; it is no header of v4.
  const text = first.bytes === null ? "" : new TextDecoder().decode(first.bytes);
  if (detectFormat(text) !== "pi-v4") return new SessionDecoder();
  const { V4Decoder } = await import("../../entry/v4-decoder.ts");
  return new V4Decoder();
}
