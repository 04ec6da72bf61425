/** The text of a message or a result. Pure. */
import type { ContentPart } from "../../shared/chat.ts";

export const readText = (parts: readonly ContentPart[]): string =>
  parts.flatMap((part) => (part.type === "text" || part.type === "refusal" ? [part.text] : [])).join("\n");
