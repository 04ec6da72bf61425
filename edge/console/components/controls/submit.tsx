/** Sending a form: the hook that awaits its answer, and the button that sends it. */
import type { ComponentChildren, SubmitEventHandler } from "preact";
import { useState } from "preact/hooks";
import { ignoreHeldKey, isRepeated } from "./clicks.ts";

type Form = { submit: SubmitEventHandler<HTMLFormElement>; busy: boolean };

/** A hook for a form: calls `send` when it is submitted. `busy` while that is awaited, for the form's SubmitButton. */
export function useForm(send: () => Promise<void>): Form {
  const [busy, setBusy] = useState(false);
  const submit: Form["submit"] = async (event) => {
    event.preventDefault();
    setBusy(true);
    await send();
    setBusy(false);
  };
  return { submit, busy };
}

type SubmitButtonProps = {
  busy: boolean;
  look?: "primary" | "small";
  disabled?: boolean;
  /** Its name, where its words do not say what it is about. */
  name?: string;
  children: ComponentChildren;
};

/**
 * A form's button. While the form's answer is awaited it takes neither clicks nor Enter in a field, which the browser turns into a click of
 * it. It is not disabled meanwhile: a disabled button loses the focus, and who uses the keyboard would begin at the top of the page.
 */
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
