/** An API key's settings as its form's fields hold them, and what the fields ask of the API. Pure. */
import type { ApiKey, KeyChanges, KeyRequest } from "../api/account-wire.ts";

export type KeyText = { name: string; expires: string; budget: string; models: string };
export const emptyKey: KeyText = { name: "", expires: "", budget: "", models: "" };

/** A moment's day on this browser's calendar, as a date field has it. */
function dayOf(iso: string): string {
  const date = new Date(iso);
  const parts = [date.getFullYear(), date.getMonth() + 1, date.getDate()];
  return parts.map((part) => String(part).padStart(2, "0")).join("-");
}

/** To the end of that day, wherever the reader is. */
const endOf = (day: string): string => new Date(`${day}T23:59:59`).toISOString();

const namesIn = (models: string): string[] => models.split(/[\s,]+/).filter((model) => model !== "");

/** A key's settings as the fields show them. */
export const showKey = ({ name, expires_at: expiry, monthly_budget: budget, models }: ApiKey): KeyText => ({
  name,
  expires: expiry === null ? "" : dayOf(expiry),
  budget: budget === null ? "" : String(budget),
  models: models?.join(" ") ?? "",
});

/** What the fields ask for. */
export function readKeyRequest({ name, expires, budget, models }: KeyText): KeyRequest {
  const names = namesIn(models);
  return {
    name: name.trim(),
    ...(expires !== "" && { expires_at: endOf(expires) }),
    ...(budget !== "" && { monthly_budget: Number(budget) }),
    ...(names.length > 0 && { models: names }),
  };
}

/** What the fields ask to change: an emptied one lifts its limit, an untouched one stays to the second. */
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
