/** Random texts over an alphabet, the same for the same seed. */
export function seededText(seed: number): (alphabet: string, length: number) => string {
  let state = seed;
  const next = (): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
  return (alphabet, length) =>
    Array.from({ length }, () => alphabet[Math.floor(next() * alphabet.length)]).join("");
}
