/** A GatewayError in Anthropic's layout: the only place that knows the field names of that body. */
import { errorTable, type GatewayError } from "../../../../shared/errors.ts";

export type MessagesErrorBody = {
  type: "error";
  error: {
    type: string;
    message: string;
    /** For clients: the fields that do not fit, or a code that clients act on. */
    details?: Readonly<Record<string, unknown>>;
    required_credits?: number;
    available_credits?: number;
  };
  request_id: string;
};

/** This dialect has no 422: every body that does not fit is 400. */
export const statusOfAnthropicError = ({ status }: GatewayError): number => (status === 422 ? 400 : status);

/** The body of an error answer; the same object follows `event: error` after a late failure. */
export function writeAnthropicError(
  { code, message, details }: GatewayError,
  requestId: string,
): MessagesErrorBody {
  const { details: fields, instructions, requiredCredits, availableCredits } = details;
  return {
    type: "error",
    error: {
      type: errorTable[code].anthropicType,
      message,
      ...((fields ?? instructions) && { details: { ...(fields && { fields }), ...instructions } }),
      ...(requiredCredits !== undefined && { required_credits: requiredCredits }),
      ...(availableCredits !== undefined && { available_credits: availableCredits }),
    },
    request_id: requestId,
  };
}
