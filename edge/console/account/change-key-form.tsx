/** The form that changes an API key's name and limits. The changes are in force from the key's next request on. */
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { ApiKey, KeyChanges } from "../api/account-wire.ts";
import { Notice } from "../components/boxes/notice.tsx";
import { SubmitButton, useForm } from "../components/controls/submit.tsx";
import { KeyFields } from "./key-fields.tsx";
import { readChanges, showKey } from "./key-text.ts";

type ChangeKeyFormProps = {
  apiKey: ApiKey;
  /** @returns why it was refused */
  onChange: (changes: KeyChanges) => Promise<string | undefined>;
  onCancel: () => void;
};

export function ChangeKeyForm({ apiKey, onChange, onCancel }: ChangeKeyFormProps) {
  const form = useRef<HTMLFormElement>(null);
  const [before] = useState(() => showKey(apiKey));
  const [fields, setFields] = useState(before);
  const [problem, setProblem] = useState<string | undefined>();
  // Before the form is painted: otherwise keys typed at once would still go to another field.
  useLayoutEffect(() => form.current?.querySelector("input")?.focus(), []);
  const { submit, busy } = useForm(async () => setProblem(await onChange(readChanges(before, fields))));
  return (
    <form ref={form} class="change-key" onSubmit={submit} aria-label={`Change ${apiKey.name}`}>
      <fieldset class="new-key-grid">
        <legend class="change-key-title">
          Change <bdi>{apiKey.name}</bdi>
        </legend>
        <KeyFields fields={fields} isSent={busy} onChange={setFields} />
        {problem !== undefined && <Notice kind="error">{problem}</Notice>}
        <p class="hint">An emptied field lifts its limit. What is running goes on under the old ones.</p>
        <div class="row">
          <SubmitButton look="primary" busy={busy}>
            Save
          </SubmitButton>
          <button type="button" class="quiet" disabled={busy} onClick={onCancel}>
            Cancel
          </button>
        </div>
      </fieldset>
    </form>
  );
}
