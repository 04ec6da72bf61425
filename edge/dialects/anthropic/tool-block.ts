/** An open tool call: its arguments so far, and seals that came after its start. */

export type ToolBlock = {
  add(text: string): void;
  /** True once the arguments are a whole JSON object: nothing but white space can follow. */
  isComplete(): boolean;
  /** Gemini's, to be written once the call is closed. */
  readonly seals: string[];
};

export function createToolBlock(): ToolBlock {
  let text = "";
  return {
    add(piece) {
      text += piece;
    },
    isComplete() {
      if (!text.trimEnd().endsWith("}")) return false;
      try {
        JSON.parse(text);
        return true;
      } catch {
        return false;
      }
    },
    seals: [],
  };
}
