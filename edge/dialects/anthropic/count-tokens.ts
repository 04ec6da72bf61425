/** Anthropic's token counter: the prompt's share of a request (platform.claude.com/docs/en/api/messages-count-tokens). */
import { z } from "zod";
import type { ChatRequest } from "../../../shared/chat.ts";
import type { EncodedRequest, ProviderTarget } from "../dialect.ts";
import { encodeMessagesRequest } from "./encode-messages-request.ts";

/** Fields of an answer, which the counter refuses. */
const answerFields = [
  "max_tokens",
  "stream",
  "temperature",
  "top_p",
  "top_k",
  "stop_sequences",
  "metadata",
  "service_tier",
];

const Reply = z.looseObject({ input_tokens: z.int().min(0) });

export const tokenCounter = {
  encodeRequest(request: ChatRequest, target: ProviderTarget): EncodedRequest {
    const encoded = encodeMessagesRequest(request, target);
    const body = Object.fromEntries(
      Object.entries(encoded.body).filter(([name]) => !answerFields.includes(name)),
    );
    return { ...encoded, path: "/messages/count_tokens", body };
  },
  readReply: (body: unknown): number | undefined => Reply.safeParse(body).data?.input_tokens,
};
