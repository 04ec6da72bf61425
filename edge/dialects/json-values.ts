/** Counts the values of a JSON text: their number, not the bytes, decides what parsing and validating costs. Pure. */

/** Enough for ten thousand turns with tool calls. For each wrong value the validator makes an issue of a kilobyte. */
export const maxBodyValues = 100_000;

/** Bound for JSON inside a string of the body, such as a seal: ten times the values of a real one. */
export const maxInnerValues = 20_000;

const [quote, comma, bracket, brace, backslash] = [0x22, 0x2c, 0x5b, 0x7b, 0x5c];

/** Index of the quote that ends the string begun before `at`; the text's length if there is none. */
function endString(text: string, at: number): number {
  for (let end = text.indexOf('"', at); end !== -1; end = text.indexOf('"', end + 1)) {
    let escapes = end;
    while (text.charCodeAt(escapes - 1) === backslash) escapes--;
    if ((end - escapes) % 2 === 0) return end;
  }
  return text.length;
}

/** The number of arrays, objects and their items, at most `limit` + 1. One pass over the text, which need not be valid. */
export function countValues(text: string, limit: number): number {
  let count = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === quote) at = endString(text, at + 1);
    else if ((code === comma || code === bracket || code === brace) && ++count > limit) return count;
  }
  return count;
}

export const holdsMoreValues = (text: string, limit: number): boolean => countValues(text, limit) > limit;
