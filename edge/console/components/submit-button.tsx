/**
 * A form's button. While the form's answer is awaited it takes neither clicks nor Enter in a field, which the browser turns into a click of
 * it. It is not disabled meanwhile: a disabled button loses the focus, and who uses the keyboard would begin at the top of the page.
 */
import type { ComponentChildren } from "preact";
import { ignoreHeldKey, isRepeated } from "./clicks.ts";

type SubmitButtonProps = {
  busy: boolean;
  look?: "primary" | "small";
  disabled?: boolean;
  /** Its name, where its words do not say what it is about. */
  name?: string;
  children: ComponentChildren;
};

export function SubmitButton({ busy, look, disabled = false, name, children }: SubmitButtonProps) {
  return (
    <button
      type="submit"
      class={look ?? ""}
      disabled={disabled}
      aria-disabled={busy}
      onClick={(event) => (busy || isRepeated(event)) && event.preventDefault()}
      onKeyDown={ignoreHeldKey}
      aria-label={name}
    >
      {children}
    </button>
  );
}
