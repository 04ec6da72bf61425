/** Follows JSON text as it grows, without parsing it anew for each piece. */
import { backslash, brace, bracket, quote } from "./json.ts";

const [bracketEnd, braceEnd, space] = [0x5d, 0x7d, 0x20];

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
