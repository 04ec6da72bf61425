/** Converts an API key's settings to the values of its form's fields, and back to a request. Pure. */
import type { ApiKey, KeyChanges, KeyRequest } from "../api/account-wire.ts";

export type KeyText = { name: string; expires: string; budget: string; models: string };
export const emptyKey: KeyText = { name: "", expires: "", budget: "", models: "" };

/** The day of a moment in this browser's time zone, as a date field holds it. */
function dayOf(iso: string): string {
  const date = new Date(iso);
  const parts = [date.getFullYear(), date.getMonth() + 1, date.getDate()];
  return parts.map((part) => String(part).padStart(2, "0")).join("-");
}

/** The last second of such a day, as the API takes it. */
const endOf = (day: string): string => new Date(`${day}T23:59:59`).toISOString();

const namesIn = (models: string): string[] => models.split(/[\s,]+/).filter((model) => model !== "");

/** A key's settings as field values. */
export const showKey = ({ name, expires_at: expiry, monthly_budget: budget, models }: ApiKey): KeyText => ({
  name,
  expires: expiry === null ? "" : dayOf(expiry),
  budget: budget === null ? "" : String(budget),
  models: models?.join(" ") ?? "",
});

/** The request to make a key with these field values. */
export function readKeyRequest({ name, expires, budget, models }: KeyText): KeyRequest {
  const names = namesIn(models);
  return {
    name: name.trim(),
    ...(expires !== "" && { expires_at: endOf(expires) }),
    ...(budget !== "" && { monthly_budget: Number(budget) }),
    ...(names.length > 0 && { models: names }),
  };
}

/** The changes between two sets of field values: an emptied field removes its limit, an unchanged one is not sent. */
export function readChanges(before: KeyText, after: KeyText): KeyChanges {
  const {
    name,
    expires_at: expiry = null,
    monthly_budget: budget = null,
    models = null,
  } = readKeyRequest(after);
  return {
    ...(after.name !== before.name && { name }),
    ...(after.expires !== before.expires && { expires_at: expiry }),
    ...(after.budget !== before.budget && { monthly_budget: budget }),
    ...(after.models !== before.models && { models }),
  };
}
