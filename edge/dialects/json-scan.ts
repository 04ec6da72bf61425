/** Reads JSON text without parsing it: where a string ends, how many values the text holds, whether its brackets have closed. */

/** Characters of JSON, by their codes. */
export const [comma, brace] = [0x2c, 0x7b];
const [quote, bracket, bracketEnd, braceEnd, backslash, space] = [0x22, 0x5b, 0x5d, 0x7d, 0x5c, 0x20];

/** Index of the quote that ends the string begun before `at`; the text's length if there is none. */
export function endString(text: string, at: number): number {
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

/**
 * Most values of a body: enough for ten thousand turns with tool calls. Their number decides what parsing and validating a body costs, not
 * that of its bytes: for each wrong value the validator makes an issue of a kilobyte.
 */
export const maxBodyValues = 100_000;

/** Bound for JSON inside a string of the body, such as a seal: ten times the values of a real one. */
export const maxInnerValues = 20_000;

/** Follows JSON text character by character: how many brackets are open, and whether a string is. The text need not be valid. */
export class JsonScan {
  depth = 0;
  inString = false;
  #escaped = false;

  read(code: number): void {
    if (this.#escaped) this.#escaped = false;
    else if (this.inString && code === backslash) this.#escaped = true;
    else if (code === quote) this.inString = !this.inString;
    else if (this.inString) return;
    else if (code === brace || code === bracket) this.depth += 1;
    else if (code === braceEnd || code === bracketEnd) this.depth -= 1;
  }
}

/**
 * Follows the text of a JSON object as it grows, and sees its end without parsing the whole anew for each piece. Parsing held the edge for
 * minutes where a provider wrote one call in ten thousand pieces.
 */
export class ObjectScan {
  readonly #scan = new JsonScan();
  #state: "before" | "inside" | "after" | "other" = "before";

  add(piece: string): void {
    for (let at = 0; at < piece.length && this.#state !== "other"; at++) {
      const code = piece.charCodeAt(at);
      if (this.#state !== "inside") {
        if (code <= space) continue;
        this.#state = this.#state === "before" && code === brace ? "inside" : "other";
      }
      this.#scan.read(code);
      if (this.#state === "inside" && this.#scan.depth === 0) this.#state = "after";
    }
  }

  /** Whether the text so far is one object, whose brackets have closed, and white space. */
  isWhole(): boolean {
    return this.#state === "after";
  }
}
