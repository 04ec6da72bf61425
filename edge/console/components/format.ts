/** Numbers as people read them. Pure. */
import { toMicro } from "../../../shared/credits.ts";

const plain = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });

export const formatCount = (count: number): string => plain.format(count);

/** Up to six decimals, so that a micro-credit is shown; at least two from a hundredth of a credit on. */
export function formatCredits(credits: number): string {
  if (credits === 0) return "0";
  const minimumFractionDigits = Math.abs(credits) >= 0.01 ? 2 : 0;
  return new Intl.NumberFormat("en", { minimumFractionDigits, maximumFractionDigits: 6 }).format(credits);
}

/**
 * From one credit on cut to two decimals, for where six would need a second line. Counted in micro-credits, as 8.2 * 100 is less than 820
 * in floating point.
 */
export const cutToCents = (credits: number): number =>
  credits < 1 ? credits : Math.floor(toMicro(credits) / 1e4) / 100;

/** Milliseconds below a second, else seconds. */
export function formatDuration(milliseconds: number): string {
  return milliseconds < 1_000 ? `${Math.round(milliseconds)} ms` : `${(milliseconds / 1_000).toFixed(1)} s`;
}

export const formatPercent = (share: number): string => `${Math.round(share * 100)}%`;

/** `search_flights` as words. */
export const readable = (name: string): string => name.replaceAll("_", " ");

const dateTime = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeStyle: "short" });

const day = new Intl.DateTimeFormat("en", { dateStyle: "medium" });

const formatDate =
  (format: Intl.DateTimeFormat) =>
  (iso: string | number | null | undefined): string => {
    if (iso === null || iso === undefined) return "never";
    const date = new Date(typeof iso === "number" ? iso * 1_000 : iso);
    return Number.isNaN(date.getTime()) ? String(iso) : format.format(date);
  };

const clock = new Intl.DateTimeFormat("en", { timeStyle: "short" });

/** The time of day of a moment in milliseconds. */
export const formatClock = (milliseconds: number): string => clock.format(milliseconds);

/** A moment from the API, as this browser's clock shows it; "never" for none. */
export const formatMoment = formatDate(dateTime);

/** The day of a moment. */
export const formatDay = formatDate(day);

/** The value in words, if there is one. */
export const ifKnown = <Value>(
  format: (value: Value) => string,
  value: Value | null | undefined,
): string | undefined => (value == null ? undefined : format(value));
