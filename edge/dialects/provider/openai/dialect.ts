/** The two providers that speak OpenAI's chat completions: OpenAI itself (alpha) and the aggregator (router). */
import type { ProviderDialect } from "../dialect.ts";
import { alphaFlavour, routerFlavour, type WireFlavour } from "./flavour.ts";
import { namePdfEngine } from "./pdf-engine.ts";
import { readErrorMessage, readFailedHost, readsAsFlagged } from "./read-error.ts";
import { generation } from "./read-generation.ts";
import { decodeChatReply } from "./read-reply.ts";
import { createChatStreamDecoder } from "./read-stream.ts";
import { encodeChatRequest, holdsFormat } from "./write-request.ts";

const createDialect = (flavour: WireFlavour): ProviderDialect => ({
  name: "openai",
  takesChoices: flavour.takesChoices,
  // API reference, tools.function.name
  longestToolName: 64,
  encodeRequest: (request, target) => namePdfEngine(encodeChatRequest(request, target, flavour), target),
  holdsFormat: (request, target) => holdsFormat(request, target, flavour),
  createStreamDecoder: createChatStreamDecoder,
  decodeReply: decodeChatReply,
  readErrorMessage,
  readFailedHost,
  readsAsFlagged,
});

export const alphaDialect: ProviderDialect = createDialect(alphaFlavour);
export const routerDialect: ProviderDialect = { ...createDialect(routerFlavour), generation };
