/**
 * Refuses fields that need stored requests or answers, which this service does not have. The error says what to do instead. This
 * runs before the rest of the body is read.
 */
import { GatewayError } from "../../../../shared/errors.ts";
import { readObject } from "../../json.ts";

/** `type`: a value of another type is left to the schema (422). `instead`: what to do. */
type Refusal = { type?: string; instead: string };

const resend = "send the earlier items in input, the answer's output among them";

const refusals: Readonly<Record<string, Refusal>> = {
  store: { type: "boolean", instead: "leave store out or set it to false" },
  previous_response_id: { type: "string", instead: resend },
  conversation: { instead: resend },
  background: { type: "boolean", instead: "leave background out, and use stream for long answers" },
  prompt: { instead: "send its text in instructions and input" },
};

/** Throws unsupported_parameter (400). `served`: fields that the caller of this function lets pass. */
export function refuseStateful(body: unknown, served: readonly string[] = []): void {
  const fields = readObject(body) ?? {};
  for (const [param, { type, instead }] of Object.entries(refusals)) {
    const value = fields[param];
    if (value === undefined || value === null || value === false || served.includes(param)) continue;
    if (type !== undefined && typeof value !== type) continue;
    const message = `This service keeps no responses, so ${param} is not supported: ${instead}.`;
    throw new GatewayError("unsupported_parameter", message, { param });
  }
}
