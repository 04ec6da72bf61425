/**
 * POST /v1/responses/compact, which shortens a conversation on its own: the request as one of /v1/responses that ends in a
 * `compaction_trigger`, and the answer, which holds the user's messages and the one item that stands for everything else.
 */
import type { ChatEvent } from "../../../../shared/chat.ts";
import { GatewayError } from "../../../../shared/errors.ts";
import { readObject } from "../../json.ts";
import { CompactionWriter, triggerType } from "./compaction.ts";
import type { CompactionBody, UserMessageOutput } from "./reply-types.ts";
import type { ResponsesRequest } from "./schema.ts";
import { writeUsage } from "./write-end.ts";
import { type EndFacts, type Envelope, nowhere, responseIdPrefix } from "./write-reply.ts";

/**
 * A body without a text or a list in `input` is left to the schema. Throws unsupported_parameter for a stream: OpenAI has none of it
 * either.
 */
export function appendTrigger(body: unknown): unknown {
  const fields = readObject(body);
  if (fields?.stream === true)
    throw new GatewayError("unsupported_parameter", "A compaction is answered in JSON: leave stream out.", {
      param: "stream",
    });
  const input = typeof fields?.input === "string" ? [{ role: "user", content: fields.input }] : fields?.input;
  return Array.isArray(input) ? { ...fields, input: [...input, { type: triggerType }] } : body;
}

/** The user's messages of a conversation as output items. Messages without an id get one made of `id`. */
export function repeatUserMessages(input: ResponsesRequest["input"], id: string): UserMessageOutput[] {
  if (typeof input === "string") return [];
  return input.flatMap((item, at) => {
    if (item.type !== "message" || item.role !== "user") return [];
    const { content } = item;
    return {
      type: "message" as const,
      id: item.id ?? `msg_${id}_${at}`,
      role: "user" as const,
      status: "completed" as const,
      content: typeof content === "string" ? [{ type: "input_text", text: content }] : content,
    };
  });
}

/** Throws upstream_error where the model wrote no summary, or none to its end. */
export function buildCompaction(
  events: readonly ChatEvent[],
  { id, createdAt }: Envelope,
  { svc, usage }: EndFacts,
  messages: readonly UserMessageOutput[],
): CompactionBody {
  const writer = new CompactionWriter({ id, sink: nowhere });
  writer.write(events);
  writer.end();
  if (writer.said().reason === "length")
    throw new GatewayError(
      "upstream_error",
      "The summary was cut off at the output limit; raise max_output_tokens.",
    );
  return {
    id: `${responseIdPrefix}${id}`,
    object: "response.compaction",
    created_at: createdAt,
    output: [...messages, ...writer.items()],
    usage: usage === undefined ? null : writeUsage(usage),
    svc,
  };
}
