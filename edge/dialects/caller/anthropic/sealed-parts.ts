/**
 * The parts of one message, with seals put on the parts that came before them. A caller may send thousands of parts and of
 * seals: each seal finds its part at once, and the data of a part is copied once however many seals name it.
 */
import type { ContentPart, TextPart } from "../../../../shared/chat.ts";
import { withData } from "../../json.ts";
import type { BlockSeal } from "./seals.ts";

export type SealedParts = {
  push(part: ContentPart): void;
  /** Adds a seal of ours, in its place among the parts. */
  seal(seal: BlockSeal): void;
  /** All parts, with their seals. */
  end(): ContentPart[];
};

export function createSealedParts(): SealedParts {
  const parts: ContentPart[] = [];
  /** Indices of the text parts that are no refusals, the latest last. */
  const texts: number[] = [];
  /** Signatures by the index of their text, and by the id of their call. */
  const ofTexts = new Map<number, string>();
  const ofCalls = new Map<string, string>();

  const push = (part: ContentPart): void => {
    if (part.type === "text") texts.push(parts.length);
    parts.push(part);
  };
  const refuse = (): void => {
    const at = texts.pop();
    if (at !== undefined) parts[at] = { type: "refusal", text: (parts[at] as TextPart).text };
  };
  return {
    push,
    seal(seal) {
      if (seal.kind === "reasoning")
        push({ type: "reasoning", text: "", redacted: seal.data, ...withData(seal.providerData) });
      else if (seal.kind === "part") push({ type: "opaque", dialect: seal.dialect, data: seal.data });
      else if (seal.kind === "tool") ofCalls.set(seal.id, seal.thoughtSignature);
      else if (seal.kind === "refusal") refuse();
      else {
        if (seal.empty || texts.length === 0) push({ type: "text", text: "" });
        ofTexts.set(texts.at(-1)!, seal.thoughtSignature);
      }
    },
    end() {
      for (const [place, part] of parts.entries()) {
        if (part.type !== "text" && part.type !== "tool-call") continue;
        const thoughtSignature = part.type === "text" ? ofTexts.get(place) : ofCalls.get(part.id);
        if (thoughtSignature === undefined) continue;
        part.providerData = { ...part.providerData, thoughtSignature };
        // If several calls have one id, the first has the seal.
        if (part.type === "tool-call") ofCalls.delete(part.id);
      }
      return parts;
    },
  };
}
