/** What a provider says of a failure, as a caller may see it: without keys, of bounded length. Pure. */
import type { ProviderData } from "../../shared/chat.ts";
import { maskKeys } from "../../shared/mask-keys.ts";

const maxQuoteChars = 600;
/** Most characters of details as JSON. Longer details are left out whole. */
const maxDetailsChars = 4_000;

const mask = (text: string, key: string | undefined): string =>
  maskKeys(key === undefined || key === "" ? text : text.replaceAll(key, "[key]"));

/** A provider's words without any key in them, cut to a bounded length. */
export function scrub(text: string, key: string | undefined): string {
  return mask(text, key).slice(0, maxQuoteChars);
}

/** A provider's error details for clients of its dialect, without any key; undefined if they are too long. */
export function scrubDetails(
  details: ProviderData | undefined,
  key: string | undefined,
): ProviderData | undefined {
  if (details === undefined || JSON.stringify(details).length > maxDetailsChars) return undefined;
  return maskAll(details, key) as ProviderData;
}

function maskAll(value: unknown, key: string | undefined): unknown {
  if (typeof value === "string") return mask(value, key);
  if (Array.isArray(value)) return value.map((item) => maskAll(item, key));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [mask(name, key), maskAll(inner, key)]),
  );
}
