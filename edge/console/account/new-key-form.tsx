/** Asks for a new API key: name, and what limits it. */
import type { SubmitEventHandler } from "preact";
import { useId, useState } from "preact/hooks";
import type { KeyWish } from "../api/account-wire.ts";

type Fields = { name: string; expires: string; budget: string; models: string };
const empty: Fields = { name: "", expires: "", budget: "", models: "" };

/** What the fields ask for. Pure. */
export function readWish({ name, expires, budget, models }: Fields): KeyWish {
  const names = models.split(/[\s,]+/).filter((model) => model !== "");
  return {
    name: name.trim(),
    // To the end of that day, wherever the reader is.
    ...(expires !== "" && { expires_at: new Date(`${expires}T23:59:59`).toISOString() }),
    ...(budget !== "" && { monthly_budget: Number(budget) }),
    ...(names.length > 0 && { models: names }),
  };
}

/** @param onWish resolves true when the key was made and the form may be cleared */
export function NewKeyForm({ onWish }: { onWish: (wish: KeyWish) => Promise<boolean> }) {
  const id = useId();
  const [fields, setFields] = useState(empty);
  const [busy, setBusy] = useState(false);
  const submit: SubmitEventHandler<HTMLFormElement> = async (event) => {
    event.preventDefault();
    setBusy(true);
    if (await onWish(readWish(fields))) setFields(empty);
    setBusy(false);
  };
  const bind = (field: keyof Fields) => ({
    id: `${id}-${field}`,
    value: fields[field],
    onInput: (event: { currentTarget: { value: string } }) =>
      setFields({ ...fields, [field]: event.currentTarget.value }),
  });
  return (
    <details class="new-key">
      <summary>New API key</summary>
      <form onSubmit={submit} class="new-key-grid">
        <div class="field">
          <label for={`${id}-name`}>Name</label>
          <input {...bind("name")} required maxLength={100} dir="auto" placeholder="laptop" />
        </div>
        <div class="field">
          <label for={`${id}-expires`}>
            Expires after <span class="label-hint">optional</span>
          </label>
          <input {...bind("expires")} type="date" />
        </div>
        <div class="field">
          <label for={`${id}-budget`}>
            Credits a month <span class="label-hint">optional</span>
          </label>
          <input {...bind("budget")} type="number" min="0" step="any" inputMode="decimal" />
        </div>
        <div class="field">
          <label for={`${id}-models`}>
            Models <span class="label-hint">optional, separated by spaces</span>
          </label>
          <input {...bind("models")} dir="ltr" spellcheck={false} placeholder="svc-x1ac-base-gpt-4o-mini" />
        </div>
        <div class="row">
          <button type="submit" class="primary" disabled={busy}>
            Create key
          </button>
        </div>
      </form>
    </details>
  );
}
