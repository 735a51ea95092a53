/**
 * A regular expression that is made when it is first asked for, and then kept. Given as text, because V8
 * looks through every expression that it meets in a file, and to make the sets of characters behind `\p{…}`
 * takes up to 1 ms each, in every process that loads the file (T14).
 */
export function latePattern(source: string, flags: string): () => RegExp {
  let made: RegExp | undefined;
  return () => {
    made ??= new RegExp(source, flags);
    return made;
  };
}
