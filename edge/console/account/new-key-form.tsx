/** Asks for a new API key. */
import { useState } from "preact/hooks";
import type { KeyRequest } from "../api/account-wire.ts";
import { Notice } from "../components/boxes/notice.tsx";
import { SubmitButton, useForm } from "../components/controls/submit.tsx";
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
  const { submit, busy } = useForm(async () => {
    if (await onCreate(readKeyRequest(fields))) setFields(emptyKey);
  });
  return (
    <details class="new-key">
      <summary>New API key</summary>
      <form onSubmit={submit}>
        <fieldset class="new-key-grid">
          <legend class="visually-hidden">New API key</legend>
          <KeyFields fields={fields} isSent={busy} onChange={setFields} />
          {problem !== undefined && <Notice kind="error">{problem}</Notice>}
          <div class="row">
            <SubmitButton look="primary" busy={busy}>
              Create key
            </SubmitButton>
          </div>
        </fieldset>
      </form>
    </details>
  );
}
