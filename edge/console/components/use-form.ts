/** A hook for a form: calls `send` when it is submitted. `busy` while that is awaited, for the form's SubmitButton. */
import type { SubmitEventHandler } from "preact";
import { useState } from "preact/hooks";

type Form = { submit: SubmitEventHandler<HTMLFormElement>; busy: boolean };

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
