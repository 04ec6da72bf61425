/**
 * Refuses fields that need stored requests or answers, which this service does not have. The error says what to do instead. This
 * runs before the rest of the body is read. `store: true` is OpenAI's default and only permits storing, so it is served: what would
 * need the stored answer is refused here when it comes.
 */
import { GatewayError } from "../../../../shared/errors.ts";
import { readObject } from "../../json.ts";

type Refusal = {
  /** A value of another type is left to the schema (422). */
  type?: string;
  /** What the request says that this service cannot do. */
  message: string;
  code?: "previous_response_not_found";
};

const unsupported = (name: string) => `This service keeps no responses, so ${name} is not supported`;
const resend = "send the earlier items in input, the answer's output among them";

const refusals: Readonly<Record<string, Refusal>> = {
  // OpenAI's code and first words for an id that it no longer has: agents then send the whole conversation by themselves.
  previous_response_id: {
    type: "string",
    message: `Previous response not found, as this service keeps none: ${resend}.`,
    code: "previous_response_not_found",
  },
  conversation: { message: `${unsupported("conversation")}: ${resend}.` },
  background: {
    type: "boolean",
    message: `${unsupported("background")}: leave background out, and use stream for long answers.`,
  },
  prompt: { message: `${unsupported("prompt")}: send its text in instructions and input.` },
};

/** Throws unsupported_parameter and previous_response_not_found (400). */
export function refuseStateful(body: unknown): void {
  const fields = readObject(body) ?? {};
  for (const [param, { type, message, code = "unsupported_parameter" }] of Object.entries(refusals)) {
    const value = fields[param];
    if (value === undefined || value === null || value === false) continue;
    if (type !== undefined && typeof value !== type) continue;
    throw new GatewayError(code, message, { param });
  }
}
