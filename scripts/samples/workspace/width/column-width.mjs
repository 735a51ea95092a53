/** Columns that a text takes in a terminal. */
export function displayWidth(text) {
  return text.length;
}

/** The text, filled with blanks to a number of columns. */
export function fit(text, columns) {
  return text + " ".repeat(Math.max(0, columns - displayWidth(text)));
}
