/** Google's Gemini API (generateContent) as a provider. */
import type { ProviderDialect } from "../dialect.ts";
import { createContentDecoder } from "./content-stream-decoder.ts";
import { decodeResponse, readErrorMessage } from "./decode-response.ts";
import { encodeContentRequest } from "./encode-content-request.ts";

export const geminiDialect: ProviderDialect = {
  name: "gemini",
  // `candidateCount` is refused by several models and never streams: parallel calls serve all alike.
  takesChoices: false,
  encodeRequest: encodeContentRequest,
  createStreamDecoder: createContentDecoder,
  decodeReply: decodeResponse,
  readErrorMessage,
};
