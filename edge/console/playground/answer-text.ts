/**
 * An answer's text on the page. Each piece is appended to the last text node and nothing before it is touched, so the
 * cost of a piece does not grow with the answer. Text only: nothing an LLM writes is ever read as markup.
 *
 * Each line is a block, and a hundred lines are a section that the browser does not render while it is out of sight. A line
 * longer than `maxBlockChars` continues in another block, because a browser lays out a whole block again after each change.
 */

const maxBlockChars = 4_000;
const sectionLines = 100;

export class AnswerText {
  readonly #pieces: string[] = [];
  #length = 0;
  #host: HTMLElement | undefined;
  #section: HTMLElement | undefined;
  #line: Text | undefined;
  #lines = 0;

  get length(): number {
    return this.#length;
  }

  toString(): string {
    return this.#pieces.join("");
  }

  append(piece: string): void {
    if (piece === "") return;
    this.#pieces.push(piece);
    this.#length += piece.length;
    this.#write(piece);
  }

  /** Draws the text so far and all that follows. @returns a function that stops it */
  attach(host: HTMLElement): () => void {
    this.#host = host;
    this.#section = undefined;
    this.#line = undefined;
    this.#lines = 0;
    host.replaceChildren();
    this.#write(this.toString());
    return () => {
      this.#host = undefined;
    };
  }

  #write(piece: string): void {
    if (this.#host === undefined || piece === "") return;
    const [first, ...rest] = piece.split("\n");
    this.#extend(first!);
    for (const line of rest) {
      this.#startLine();
      this.#extend(line);
    }
  }

  /** Adds to the current line, in further blocks if it grows long. */
  #extend(text: string): void {
    let left = text;
    while (left !== "") {
      const line = this.#line ?? this.#startLine();
      const room = maxBlockChars - line.length;
      if (room <= 1) {
        this.#startLine();
        continue;
      }
      const part = left.slice(0, cutBetweenCharacters(left, room));
      line.appendData(part);
      left = left.slice(part.length);
    }
    if (text === "" && this.#line === undefined) this.#startLine();
  }

  #startLine(): Text {
    const { ownerDocument } = this.#host!;
    if (this.#section === undefined || this.#lines % sectionLines === 0) {
      this.#section = ownerDocument.createElement("div");
      this.#section.className = "answer-section";
      this.#host!.append(this.#section);
    }
    const block = ownerDocument.createElement("div");
    block.dir = "auto";
    const text = ownerDocument.createTextNode("");
    block.append(text);
    this.#section.append(block);
    this.#lines += 1;
    this.#line = text;
    return text;
  }
}

/** Where to cut a text of at least `at` units without splitting a surrogate pair. */
function cutBetweenCharacters(text: string, at: number): number {
  if (at >= text.length) return text.length;
  const code = text.charCodeAt(at - 1);
  return code >= 0xd800 && code <= 0xdbff ? at - 1 : at;
}
