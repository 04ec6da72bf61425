/** An error's sentence, from any of the API's error layouts. Pure. */
import * as z from "zod/mini";

const Sentence = z.object({ message: z.string() });
/** OpenAI's and Anthropic's layouts nest it; account endpoints have it at the top. */
const Nested = z.object({
  error: z.object({ message: z.string(), details: z.optional(z.array(z.string())) }),
});

/** @param body parsed JSON, or the text where it was none */
export function readError(status: number, body: unknown): string {
  const nested = Nested.safeParse(body);
  if (nested.success) {
    const { message, details = [] } = nested.data.error;
    const more = details.filter((detail) => !message.includes(detail));
    return [message, ...more].join(" ");
  }
  const flat = Sentence.safeParse(body);
  if (flat.success) return flat.data.message;
  const next = status >= 500 ? " Try again in a moment." : "";
  return `The service answered ${status} without saying why.${next}`;
}

/** A request that got no answer at all. */
export const unreachable =
  "The service could not be reached. Check your connection, and that the service is running; then try again.";
