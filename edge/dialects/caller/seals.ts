/**
 * Seals: JSON in base64url behind a mark, in places that clients return unread. They hold what a provider needs back in the next turn
 * and the caller's dialect has no field for.
 */
import { z } from "zod";
import type { ReasoningPart } from "../../../shared/chat.ts";
import { decodeBase64urlText, encodeBase64urlText } from "../base64.ts";
import { JsonObject, parseJson, readFitting, withData } from "../json.ts";
import { holdsMoreValues, maxInnerValues } from "../json-scan.ts";

const mark = "svc1.";

export const writeSeal = (value: object): string => mark + encodeBase64urlText(JSON.stringify(value));

/** Undefined for anything that `writeSeal` did not write. */
export function readSeal<Seal>(text: string, schema: z.ZodType<Seal>): Seal | undefined {
  const json = text.startsWith(mark) ? decodeBase64urlText(text.slice(mark.length)) : undefined;
  if (json === undefined || holdsMoreValues(json, maxInnerValues)) return undefined;
  return readFitting(schema, parseJson(json));
}

/** Of reasoning: the provider's own signature, and the data that it keeps with the text. */
export const ReasoningSeal = z.object({
  signature: z.string().optional(),
  providerData: JsonObject.optional(),
});

/** Gemini's thought signature of a text; `empty`: of a text part without text. */
export const TextSeal = z.object({
  kind: z.literal("text"),
  thoughtSignature: z.string(),
  empty: z.boolean().optional(),
});

/** A reasoning part in the form that its provider needs back. `redacted`: reasoning that the provider sent encrypted. */
export function unsealReasoning(
  text: string,
  { signature, redacted, providerData }: z.infer<typeof ReasoningSeal> & { redacted?: string | undefined },
): ReasoningPart {
  return {
    type: "reasoning",
    text,
    ...(signature !== undefined && { signature }),
    ...(redacted !== undefined && { redacted }),
    ...withData(providerData),
  };
}
