/** Anthropic's Messages API as a provider. The caller's side of the same wire is dialects/caller/anthropic/. */
import type { ProviderDialect } from "../dialect.ts";
import { readErrorDetails, readErrorMessage, saysOutOfCredit } from "./read-error.ts";
import { decodeReply, parseReply } from "./read-reply.ts";
import { createMessagesStreamDecoder } from "./read-stream.ts";
import { encodeMessagesRequest, enforcesFormat, tokenCounter } from "./write-request.ts";

export const anthropicDialect: ProviderDialect = {
  name: "anthropic",
  takesChoices: false,
  // platform.claude.com/docs/en/agents-and-tools/tool-use/define-tools
  toolNames: { fits: /^[\w-]{1,128}$/, maxChars: 128, first: /^[\w-]/ },
  encodeRequest: encodeMessagesRequest,
  enforcesFormat,
  createStreamDecoder: createMessagesStreamDecoder,
  parseReply,
  decodeReply,
  count: tokenCounter,
  readErrorDetails,
  readErrorMessage,
  saysOutOfCredit,
};
