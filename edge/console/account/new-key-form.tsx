/** Asks for a new API key. */
import type { SubmitEventHandler } from "preact";
import { useState } from "preact/hooks";
import type { KeyRequest } from "../api/account-wire.ts";
import { Notice } from "../components/notice.tsx";
import { KeyFields } from "./key-fields.tsx";
import { emptyKey, readKeyRequest } from "./key-text.ts";

/** @param onCreate resolves with why it was refused; undefined when the key was made and the form may be cleared */
export function NewKeyForm({ onCreate }: { onCreate: (request: KeyRequest) => Promise<string | undefined> }) {
  const [fields, setFields] = useState(emptyKey);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | undefined>();
  const submit: SubmitEventHandler<HTMLFormElement> = async (event) => {
    event.preventDefault();
    setBusy(true);
    const refused = await onCreate(readKeyRequest(fields));
    setProblem(refused);
    if (refused === undefined) setFields(emptyKey);
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
