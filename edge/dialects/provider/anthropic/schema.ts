/**
 * The Messages API as the provider sends it: minimal and loose, so a new field or block type never
 * breaks a stream (API reference: platform.claude.com/docs/en/api/messages).
 */
import { z } from "zod";

const count = z.number().nullish().catch(null);

/** Token counts. `message_delta` may leave out any of them; then the earlier value stays. */
export const WireUsage = z.looseObject({
  input_tokens: count,
  output_tokens: count,
  cache_creation_input_tokens: count,
  cache_read_input_tokens: count,
  cache_creation: z.looseObject({ ephemeral_1h_input_tokens: count }).nullish().catch(null),
  output_tokens_details: z.looseObject({ thinking_tokens: count }).nullish().catch(null),
});
export type WireUsage = z.infer<typeof WireUsage>;

/** A block of an answer: complete in a JSON reply, its start in a stream. Only `type` is certain. */
export const ContentBlock = z.looseObject({
  type: z.string(),
  id: z.string().nullish(),
  name: z.string().nullish(),
  input: z.unknown().optional(),
  text: z.string().nullish(),
  thinking: z.string().nullish(),
  signature: z.string().nullish(),
  citations: z.array(z.unknown()).nullish().catch(null),
});
export type ContentBlock = z.infer<typeof ContentBlock>;

/** The end of an answer: `message_delta.delta` of a stream, fields of the message in JSON. */
export const MessageEnd = z.looseObject({
  stop_reason: z.string().nullish(),
  stop_sequence: z.string().nullish(),
  stop_details: z.looseObject({}).nullish().catch(null),
  container: z.looseObject({}).nullish().catch(null),
});
export type MessageEnd = z.infer<typeof MessageEnd>;

export const WireError = z.looseObject({
  type: z.string().nullish(),
  message: z.string().nullish(),
  details: z.looseObject({}).nullish().catch(null),
});
export type WireError = z.infer<typeof WireError>;
export const ErrorBody = z.looseObject({ type: z.literal("error").nullish(), error: WireError });

/** The head of an answer. `input_transformations`: what the provider changed in the prompt, told with a beta. */
const facts = {
  id: z.string().nullish(),
  model: z.string().nullish(),
  diagnostics: z.looseObject({}).nullish().catch(null),
  input_transformations: z.array(z.unknown()).nullish().catch(null),
};
const MessageFacts = z.looseObject(facts);
export type MessageFacts = z.infer<typeof MessageFacts>;

/** A whole JSON reply. */
export const Message = MessageEnd.extend({
  ...facts,
  content: z.array(ContentBlock),
  usage: WireUsage.nullish(),
  context_management: z.looseObject({}).nullish().catch(null),
});
export type Message = z.infer<typeof Message>;

export const MessageStart = z.looseObject({
  message: MessageEnd.extend({
    ...facts,
    content: z.array(ContentBlock).nullish().catch(null),
    usage: WireUsage.nullish(),
  }),
});
export type MessageStart = z.infer<typeof MessageStart>;

export const BlockStart = z.looseObject({ index: z.number(), content_block: ContentBlock });
export type BlockStart = z.infer<typeof BlockStart>;

export const BlockDelta = z.compile(
  z.looseObject({
    index: z.number(),
    delta: z.looseObject({
      type: z.string().nullish(),
      text: z.string().nullish(),
      thinking: z.string().nullish(),
      signature: z.string().nullish(),
      partial_json: z.string().nullish(),
      citation: z.unknown().optional(),
    }),
  }),
);
export type BlockDelta = z.infer<typeof BlockDelta>;

export const BlockStop = z.looseObject({ index: z.number() });
export type BlockStop = z.infer<typeof BlockStop>;

export const MessageDelta = z.looseObject({
  delta: MessageEnd.nullish(),
  usage: WireUsage.nullish(),
  context_management: z.looseObject({}).nullish().catch(null),
  /** Replaces that of the start, if another model has gone on with the answer. */
  input_transformations: z.array(z.unknown()).nullish().catch(null),
});
export type MessageDelta = z.infer<typeof MessageDelta>;
