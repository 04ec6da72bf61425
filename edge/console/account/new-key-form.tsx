/** Asks for a new API key. */
import type { SubmitEventHandler } from "preact";
import { useState } from "preact/hooks";
import type { KeyRequest } from "../api/account-wire.ts";
import { Notice } from "../components/notice.tsx";
import { useKeptFocus } from "../components/use-kept-focus.ts";
import { KeyFields } from "./key-fields.tsx";
import { emptyKey, readKeyRequest } from "./key-text.ts";

type NewKeyFormProps = {
  /** Why the last request was refused. */
  problem: string | undefined;
  /** Resolves true when the key was made and the form may be cleared. */
  onCreate: (request: KeyRequest) => Promise<boolean>;
};

export function NewKeyForm({ problem, onCreate }: NewKeyFormProps) {
  const [fields, setFields] = useState(emptyKey);
  const [busy, setBusy] = useState(false);
  useKeptFocus(busy);
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
          {problem !== undefined && <Notice kind="error">{problem}</Notice>}
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
