/** Narrow reads of parsed JSON from a provider: a value of another type is the same as none. */

export type JsonObject = Readonly<Record<string, unknown>>;

export function readObject(value: unknown): JsonObject | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as JsonObject)
    : undefined;
}

export function readList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** A string with something in it. */
export function readText(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

export function readIndex(value: unknown): number | undefined {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}

/** A finite number, also where it was sent as text. Negative ones are kept: billing judges, not we. */
export function readNumber(value: unknown): number | undefined {
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  return typeof number === "number" && Number.isFinite(number) ? number : undefined;
}
