/** A text area with its label, in the direction of its text's script. Ctrl+Enter, or Command+Enter, presses the button of its form. */
import type { ComponentChildren, TargetedKeyboardEvent, TextareaHTMLAttributes } from "preact";
import { Field } from "./field.tsx";

type TextFieldProps = Pick<TextareaHTMLAttributes, "placeholder" | "required"> & {
  label: ComponentChildren;
  hint?: ComponentChildren;
  rows?: number;
  value: string;
  onText: (text: string) => void;
};

export function TextField({ label, hint, rows = 2, onText, ...rest }: TextFieldProps) {
  return (
    <Field label={label} hint={hint}>
      {(id) => (
        <textarea
          id={id}
          rows={rows}
          dir="auto"
          onInput={(event) => onText(event.currentTarget.value)}
          onKeyDown={submitOnCommandEnter}
          {...rest}
        />
      )}
    </Field>
  );
}

/** Held down it sends once: each sending is charged. Without a button, as while an answer is awaited, it sends nothing. */
function submitOnCommandEnter(event: TargetedKeyboardEvent<HTMLTextAreaElement>): void {
  if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
  event.preventDefault();
  if (!event.repeat) event.currentTarget.form?.querySelector<HTMLButtonElement>("[type=submit]")?.click();
}
