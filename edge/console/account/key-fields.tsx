/** The fields of an API key, new or changed: its name and its limits. */
import { Field } from "../components/controls/field.tsx";
import type { KeyText } from "./key-text.ts";

type KeyFieldsProps = {
  fields: KeyText;
  /** Read-only while they are sent: what is typed meanwhile would be lost. A disabled field would lose the focus as well. */
  isSent: boolean;
  onChange: (fields: KeyText) => void;
};

export function KeyFields({ fields, isSent, onChange }: KeyFieldsProps) {
  const bind = (field: keyof KeyText) => ({
    value: fields[field],
    readOnly: isSent,
    onInput: (event: { currentTarget: { value: string } }) =>
      onChange({ ...fields, [field]: event.currentTarget.value }),
  });
  return (
    <>
      <Field label="Name">
        {(id) => (
          <input
            {...bind("name")}
            id={id}
            required
            pattern=".*\S.*"
            title="a name"
            maxLength={100}
            dir="auto"
            placeholder="laptop"
          />
        )}
      </Field>
      <Field label="Expires after" hint="optional">
        {/* Without a bound a year may have six digits, which no ISO date of the API has. */}
        {(id) => <input {...bind("expires")} id={id} type="date" max="9999-12-31" />}
      </Field>
      <Field label="Credits a month" hint="optional">
        {(id) => <input {...bind("budget")} id={id} type="number" min="0" step="any" inputMode="decimal" />}
      </Field>
      <Field label="Models" hint="optional, separated by spaces" isWide>
        {(id) => (
          <input
            {...bind("models")}
            id={id}
            dir="ltr"
            spellcheck={false}
            placeholder="svc-x1ac-base-gpt-4o-mini"
          />
        )}
      </Field>
    </>
  );
}
