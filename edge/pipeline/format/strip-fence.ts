/** Removes the Markdown fence around a text that is one fenced block, as models often write JSON. Works on a stream. */

/** Most characters held back. A longer opening line, or a closing fence with more white space around it, is not recognised. */
const maxHeld = 64;

/** An opening line that may still be incomplete. */
const opening = /^\s*(?:`{0,2}|```[^\n]*)$/;
const fence = /^\s*```[^\n]*\n/;

export type FenceStripper = {
  /** Adds a piece; returns the text that can be passed on. */
  push(piece: string): string;
  /** Returns the text held back, when the text ends or another block interrupts it. */
  end(): string;
};

export function createFenceStripper(): FenceStripper {
  let state: "begins" | "fenced" | "plain" = "begins";
  let held = "";
  return {
    push(piece) {
      held += piece;
      if (state === "begins") {
        if (held.length <= maxHeld && opening.test(held)) return "";
        const fenced = fence.exec(held.slice(0, maxHeld));
        state = fenced === null ? "plain" : "fenced";
        held = held.slice(fenced?.[0].length ?? 0);
      }
      const keep =
        state === "fenced" ? Math.max(lengthBeforeClosing(held), held.length - maxHeld) : held.length;
      const out = held.slice(0, keep);
      held = held.slice(keep);
      return out;
    },
    end() {
      const rest = state === "fenced" && held.trim() === "```" ? "" : held;
      held = "";
      return rest;
    },
  };
}

/** The length of a text up to what may be the beginning of the closing fence. */
function lengthBeforeClosing(text: string): number {
  const bare = text.trimEnd();
  let ticks = 0;
  while (ticks < 3 && bare.at(-1 - ticks) === "`") ticks += 1;
  return bare.slice(0, bare.length - ticks).trimEnd().length;
}
