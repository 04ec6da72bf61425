/**
 * The first `length` UTF-16 units, one less where that would halve a character: a half of a pair in JSON makes strict parsers refuse the
 * whole answer (Python's orjson), and has no UTF-8. Pure.
 */
export function cutText(text: string, length: number): string {
  if (text.length <= length) return text;
  const isHalf = (text.charCodeAt(length - 1) & 0xfc00) === 0xd800;
  return text.slice(0, isHalf ? length - 1 : length);
}
