/** A slash verb and its rest; undefined for a message. `//` begins a message with a slash. */
export function readVerb(
  text: string,
): { readonly verb: string; readonly rest: string } | undefined {
  const match = /^\/([a-z-]+)(?:\s+([\s\S]*))?$/.exec(text.trim());
  return match === null ? undefined : { verb: match[1] ?? "", rest: (match[2] ?? "").trim() };
}
