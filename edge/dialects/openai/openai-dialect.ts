/** The two providers that speak OpenAI's chat completions: OpenAI itself (alpha) and the aggregator (router). */
import type { ProviderDialect } from "../dialect.ts";
import { createChatStreamDecoder, decodeChatReply } from "./chat-stream-decoder.ts";
import { encodeChatRequest } from "./encode-chat-request.ts";
import { readErrorMessage, readFailedHost } from "./upstream-errors.ts";
import { alphaFlavour, routerFlavour, type WireFlavour } from "./wire-flavour.ts";

const createDialect = (flavour: WireFlavour): ProviderDialect => ({
  name: "openai",
  takesChoices: flavour.takesChoices,
  encodeRequest: (request, target) => encodeChatRequest(request, target, flavour),
  createStreamDecoder: createChatStreamDecoder,
  decodeReply: decodeChatReply,
  readErrorMessage,
  readFailedHost,
});

export const alphaDialect: ProviderDialect = createDialect(alphaFlavour);
export const routerDialect: ProviderDialect = createDialect(routerFlavour);
