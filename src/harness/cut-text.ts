/** The beginning of a text, at most `length` UTF-16 units, never half a character (P13). */
export function cutText(text: string, length: number): string {
  if (text.length <= length) return text;
  const last = text.charCodeAt(length - 1);
  const isHigh = last >= 0xd800 && last <= 0xdbff;
  return text.slice(0, isHigh ? length - 1 : length);
}
