/** Asks for the address to which the code is sent. */
import { useId, useState } from "preact/hooks";
import { askForCode, codesGoToLog } from "../api/session.ts";
import { Notice } from "../components/boxes/notice.tsx";
import { SubmitButton, useForm } from "../components/controls/submit.tsx";
import { useStore } from "../use-store.ts";
import type { SentCode } from "./code-form.tsx";

/** @param before the address of an earlier code */
export function EmailForm({ before, onSent }: { before: string; onSent: (sent: SentCode) => void }) {
  const id = useId();
  const inLog = useStore(codesGoToLog);
  const [email, setEmail] = useState(before);
  const [problem, setProblem] = useState<string | undefined>();
  const { submit, busy } = useForm(async () => {
    setProblem(undefined);
    const answer = await askForCode(email);
    if (answer.ok) onSent({ id: answer.value.id, email });
    else setProblem(answer.message);
  });
  return (
    <form class="card" onSubmit={submit}>
      <div class="field">
        <label for={id}>E-mail address</label>
        <input
          id={id}
          type="email"
          autocomplete="email"
          required
          dir="ltr"
          value={email}
          onInput={(event) => setEmail(event.currentTarget.value)}
          aria-describedby={`${id}-hint`}
        />
        <p id={`${id}-hint`} class="hint">
          {inLog
            ? "This service sends no mail: a code of six digits is printed in its terminal or log."
            : "We send a code of six digits."}{" "}
          If the address has no account yet, signing in makes one.
        </p>
      </div>
      {problem !== undefined && <Notice kind="error">{problem}</Notice>}
      <div class="row">
        <SubmitButton look="primary" busy={busy}>
          {busy ? "Sending…" : "Send code"}
        </SubmitButton>
      </div>
    </form>
  );
}
