/** Reads when a provider says to retry, and how much of that time a second try of ours waits. */

/** Seconds of a Retry-After header (RFC 9110 §10.2.3), in either form; undefined if absent or in another form. */
export function readRetryAfter(header: string | null, nowMs: number): number | undefined {
  if (header === null) return undefined;
  const text = header.trim();
  // Some servers say fractions of a second.
  if (/^\d{1,6}(\.\d+)?$/.test(text)) return Math.ceil(Number(text));
  const seconds = / GMT$/.test(text) ? Math.ceil((Date.parse(text) - nowMs) / 1000) : Number.NaN;
  return seconds >= 0 ? seconds : undefined;
}

/** Pause before a second try, and the longest Retry-After that is waited for. A longer wait is left to the caller. */
const minPauseMs = 250;
const maxPauseMs = 2_000;

/** Milliseconds to wait before a second try; undefined if the wait would be too long. `retryAfter` is the refusal's header. */
export function pauseBefore(retryAfter: string | null, nowMs: number): number | undefined {
  const askedMs = (readRetryAfter(retryAfter, nowMs) ?? 0) * 1_000;
  return askedMs > maxPauseMs ? undefined : Math.max(minPauseMs, askedMs);
}

/** OpenAI's header retry-after-ms, in the form of Retry-After: seconds, here with a fraction. */
export function readFineRetryAfter(headers: Headers): string | undefined {
  const text = headers.get("retry-after-ms")?.trim() ?? "";
  return /^\d{1,9}$/.test(text) ? String(Number(text) / 1_000) : undefined;
}
