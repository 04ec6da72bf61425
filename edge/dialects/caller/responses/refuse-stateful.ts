/**
 * Refuses fields that need stored requests or answers, which this service does not have. The error says what to do instead. This
 * runs before the rest of the body is read.
 */
import { GatewayError } from "../../../../shared/errors.ts";
import { readObject } from "../../json.ts";

const advice: Readonly<Record<string, string>> = {
  store: "leave store out or set it to false",
  previous_response_id: "send the earlier items in input, the answer's output among them",
  conversation: "send the earlier items in input, the answer's output among them",
  background: "leave background out, and use stream for long answers",
  prompt: "send its text in instructions and input",
};

/** Types by field. A value of another type is left to the schema (422). */
const types: Readonly<Record<string, string>> = {
  store: "boolean",
  background: "boolean",
  previous_response_id: "string",
};

/** Throws unsupported_parameter (400). */
export function refuseStateful(body: unknown): void {
  const fields = readObject(body) ?? {};
  for (const [name, instead] of Object.entries(advice)) {
    const value = fields[name];
    if (value === undefined || value === null || value === false) continue;
    if (types[name] !== undefined && typeof value !== types[name]) continue;
    throw new GatewayError(
      "unsupported_parameter",
      `This service keeps no responses, so ${name} is not supported: ${instead}.`,
      { param: name },
    );
  }
}
