/**
 * LiteLLM moves the fields of an answer that its message class does not know to `provider_specific_fields`, and its callers send the
 * message back so. Without our fields in there Claude would lose its thinking after each tool call.
 */
import { z } from "zod";
import { present, readFitting } from "../../json.ts";
import { ExtraContent, ReasoningDetail } from "../../openai-extensions.ts";
import { AnswerImageInput, type ChatMessageInput } from "./schema.ts";

const text = z.string().nullish();
const MovedFields = z.object({
  refusal: text,
  reasoning: text,
  reasoning_content: text,
  reasoning_details: z.array(ReasoningDetail).nullish(),
  images: z.array(AnswerImageInput).nullish(),
  extra_content: ExtraContent.nullish(),
});

/** The message with those fields in their places, where it has none of its own. What is in there beside them is kept, to be named. */
export function restoreFields(message: ChatMessageInput): ChatMessageInput {
  if (message.role !== "assistant") return message;
  const { provider_specific_fields: moved, ...own } = message;
  const restored = moved == null ? undefined : readFitting(MovedFields, moved);
  if (restored === undefined) return message;
  const isRead = Object.keys(present(moved as object)).every((name) => name in MovedFields.shape);
  return {
    ...restored,
    ...present(own),
    role: "assistant",
    ...(!isRead && { provider_specific_fields: moved }),
  };
}
