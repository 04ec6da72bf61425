/**
 * Pictures in an answer, as OpenRouter has them: `images` beside the content, each a data URL, and Gemini's seal
 * where the other seals of its answers are. https://openrouter.ai/docs/features/multimodal/image-generation
 */
import type { ChatEvent } from "../../../shared/chat.ts";
import { type Seal, writeSeal } from "./thought-seal.ts";

type AnswerImage = NonNullable<Extract<ChatEvent, { type: "opaque" }>["image"]>;
export type WireImage = Partial<Seal> & { type: "image_url"; image_url: { url: string }; index: number };

export const dataUrl = (mediaType: string, data: string) => `data:${mediaType};base64,${data}`;

/** `index` counts the pictures of a choice. */
export const writeImage = ({ mediaType, data, signature }: AnswerImage, index: number): WireImage => ({
  type: "image_url",
  image_url: { url: dataUrl(mediaType, data) },
  index,
  ...(signature !== undefined && writeSeal(signature)),
});
