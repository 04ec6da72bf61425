/** Asks for a new API key. */
import type { SubmitEventHandler } from "preact";
import { useState } from "preact/hooks";
import type { KeyRequest } from "../api/account-wire.ts";
import { KeyFields } from "./key-fields.tsx";
import { emptyKey, readKeyRequest } from "./key-text.ts";

/** @param onCreate resolves true when the key was made and the form may be cleared */
export function NewKeyForm({ onCreate }: { onCreate: (request: KeyRequest) => Promise<boolean> }) {
  const [fields, setFields] = useState(emptyKey);
  const [busy, setBusy] = useState(false);
  const submit: SubmitEventHandler<HTMLFormElement> = async (event) => {
    event.preventDefault();
    setBusy(true);
    if (await onCreate(readKeyRequest(fields))) setFields(emptyKey);
    setBusy(false);
  };
  return (
    <details class="new-key">
      <summary>New API key</summary>
      <form onSubmit={submit}>
        {/* What is typed while the key is made would be cleared with the rest. */}
        <fieldset class="new-key-grid" disabled={busy}>
          <legend class="visually-hidden">New API key</legend>
          <KeyFields fields={fields} onChange={setFields} />
          <div class="row">
            <button type="submit" class="primary">
              Create key
            </button>
          </div>
        </fieldset>
      </form>
    </details>
  );
}
