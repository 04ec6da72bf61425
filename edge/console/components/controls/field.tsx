/** A control with its label above it, and a text area. */
import type { ComponentChildren, TargetedKeyboardEvent, TextareaHTMLAttributes } from "preact";
import { useId } from "preact/hooks";

type FieldProps = {
  label: ComponentChildren;
  /** After the label, in smaller type. */
  hint?: ComponentChildren;
  /** As wide as its form. */
  isWide?: boolean;
  /** Draws the control, which has to have this id. */
  children: (id: string) => ComponentChildren;
};

/** A control of any kind. */
export function Field({ label, hint, isWide = false, children }: FieldProps) {
  const id = useId();
  return (
    <div class={isWide ? "field wide" : "field"}>
      <label for={id}>
        {label} {hint && <span class="label-hint">{hint}</span>}
      </label>
      {children(id)}
    </div>
  );
}

type TextFieldProps = Pick<TextareaHTMLAttributes, "placeholder" | "required"> & {
  label: ComponentChildren;
  hint?: ComponentChildren;
  rows?: number;
  value: string;
  onText: (text: string) => void;
};

/** In the direction of its text's script. Ctrl+Enter, or Command+Enter, presses the button of its form. */
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
