/**
 * Tool-call arguments of the history, for providers that want them as an object and not as JSON text.
 */

/** Key under which arguments that are no JSON object travel, so that the model still sees them. */
const rawArgumentsKey = "_raw";

/**
 * The arguments as an object. Text that is no JSON object (a model's broken call in the history) is
 * wrapped as `{_raw: text}`: providers refuse anything but an object, and losing it would hide the
 * mistake from the model. `exact` is false then.
 */
export function readToolArguments(text: string): { value: Record<string, unknown>; exact: boolean } {
  if (text.trim() === "") return { value: {}, exact: true };
  try {
    const value: unknown = JSON.parse(text);
    if (isRecord(value)) return { value, exact: true };
  } catch {
    // Falls through: not JSON.
  }
  return { value: { [rawArgumentsKey]: text }, exact: false };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
