/** A number with the word for what is counted: `1 entry`, `2,000 entries`. */
export function counted(count: number, one: string, many: string = `${one}s`): string {
  return `${count.toLocaleString("en-US")} ${count === 1 ? one : many}`;
}
