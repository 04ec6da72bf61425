/** Anthropic's Messages API as a provider. The caller's side of the same wire lives beside it. */
import type { ProviderDialect } from "../dialect.ts";
import { tokenCounter } from "./count-tokens.ts";
import { decodeMessage, readErrorDetails, readErrorMessage } from "./decode-message.ts";
import { encodeMessagesRequest } from "./encode-messages-request.ts";
import { createMessagesStreamDecoder } from "./messages-stream-decoder.ts";

export const anthropicDialect: ProviderDialect = {
  name: "anthropic",
  takesChoices: false,
  encodeRequest: encodeMessagesRequest,
  createStreamDecoder: createMessagesStreamDecoder,
  decodeReply: decodeMessage,
  count: tokenCounter,
  readErrorDetails,
  readErrorMessage,
};
