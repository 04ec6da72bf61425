/** Calls' arguments are JSON in strings, which the bound on a body's values does not see; some providers want them parsed. */
import type { ChatRequest } from "../../shared/chat.ts";
import { GatewayError } from "../../shared/errors.ts";
import { countValues, maxBodyValues } from "../dialects/json-values.ts";

/** Throws request_too_large where all of them together hold more values than a body may. */
export function boundArguments({ messages }: ChatRequest): void {
  const texts = messages.flatMap(({ parts }) =>
    parts.flatMap((part) => (part.type === "tool-call" ? [part.arguments] : [])),
  );
  // A value takes a letter at least.
  if (texts.reduce((sum, { length }) => sum + length, 0) <= maxBodyValues) return;
  let left = maxBodyValues;
  for (const text of texts) left -= countValues(text, left);
  if (left >= 0) return;
  throw new GatewayError(
    "request_too_large",
    `The arguments of the tool calls hold more than ${maxBodyValues.toLocaleString("en")} JSON values; send fewer.`,
  );
}
