/**
 * Where a caller's part carries Gemini's thought signature: under our own key, or as Google's OpenAI
 * format has it (`extra_content.google.thought_signature`).
 */
import { z } from "zod";
import type { ProviderData } from "../../../shared/chat.ts";

const SealedData = z.looseObject({
  thoughtSignature: z.string().optional().catch(undefined),
  extra_content: z
    .looseObject({ google: z.looseObject({ thought_signature: z.string().optional() }).optional() })
    .optional()
    .catch(undefined),
});

/** The signature, byte-equal, if the part has one. */
export function readSignature(providerData: ProviderData | undefined): string | undefined {
  if (providerData === undefined) return undefined;
  const { thoughtSignature, extra_content } = SealedData.parse(providerData);
  return thoughtSignature ?? extra_content?.google?.thought_signature;
}

/** True for reasoning that says it is another provider's (OpenRouter's reasoning details name a format). */
export function hasForeignFormat(providerData: ProviderData | undefined): boolean {
  const detail = providerData?.reasoning_detail;
  const format =
    typeof detail === "object" && detail !== null && "format" in detail ? detail.format : undefined;
  return typeof format !== "string" || !format.startsWith("google-gemini");
}
