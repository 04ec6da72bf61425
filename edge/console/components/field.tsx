/** A control with its label above it. */
import type { ComponentChildren } from "preact";
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
