/** A GatewayError in OpenAI's layout: the only place that knows the field names of that body. */
import { errorTable, type GatewayError } from "../../../../shared/errors.ts";

export type ErrorBody = {
  error: {
    message: string;
    type: string;
    code: string | null;
    /** The field that the error is about. Null if there is none, as with OpenAI: openai-kotlin cannot read an error without it. */
    param: string | null;
    details?: string[];
    required_credits?: number;
    available_credits?: number;
  };
};

/** The body of an error answer; the same object follows `data:` after a late failure of a stream. */
export function writeOpenaiError({ code, message, details }: GatewayError): ErrorBody {
  const { type, publicCode } = errorTable[code];
  const { param, details: lines, requiredCredits, availableCredits } = details;
  return {
    error: {
      message,
      type,
      code: publicCode ? code : null,
      param: param ?? null,
      ...(lines !== undefined && { details: lines }),
      ...(requiredCredits !== undefined && { required_credits: requiredCredits }),
      ...(availableCredits !== undefined && { available_credits: availableCredits }),
    },
  };
}
