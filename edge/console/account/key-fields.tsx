/** The fields of an API key, new or changed: its name and its limits. */
import { useId } from "preact/hooks";
import type { KeyText } from "./key-text.ts";

type KeyFieldsProps = {
  fields: KeyText;
  /** Read-only while they are sent: what is typed meanwhile would be lost. A disabled field would lose the focus as well. */
  isSent: boolean;
  onChange: (fields: KeyText) => void;
};

export function KeyFields({ fields, isSent, onChange }: KeyFieldsProps) {
  const id = useId();
  const bind = (field: keyof KeyText) => ({
    id: `${id}-${field}`,
    value: fields[field],
    readOnly: isSent,
    onInput: (event: { currentTarget: { value: string } }) =>
      onChange({ ...fields, [field]: event.currentTarget.value }),
  });
  return (
    <>
      <div class="field">
        <label for={`${id}-name`}>Name</label>
        <input
          {...bind("name")}
          required
          pattern=".*\S.*"
          title="a name"
          maxLength={100}
          dir="auto"
          placeholder="laptop"
        />
      </div>
      <div class="field">
        <label for={`${id}-expires`}>
          Expires after <span class="label-hint">optional</span>
        </label>
        {/* Without a bound a year may have six digits, which no ISO date of the API has. */}
        <input {...bind("expires")} type="date" max="9999-12-31" />
      </div>
      <div class="field">
        <label for={`${id}-budget`}>
          Credits a month <span class="label-hint">optional</span>
        </label>
        <input {...bind("budget")} type="number" min="0" step="any" inputMode="decimal" />
      </div>
      <div class="field wide">
        <label for={`${id}-models`}>
          Models <span class="label-hint">optional, separated by spaces</span>
        </label>
        <input {...bind("models")} dir="ltr" spellcheck={false} placeholder="svc-x1ac-base-gpt-4o-mini" />
      </div>
    </>
  );
}
