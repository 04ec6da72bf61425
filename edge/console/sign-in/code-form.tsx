/** Asks for the code that was sent. It counts only with the address and the request it was sent for, which this form keeps. */
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { codesGoToLog, signIn } from "../api/session.ts";
import { Notice } from "../components/boxes/notice.tsx";
import { Field } from "../components/controls/field.tsx";
import { SubmitButton, useForm } from "../components/controls/submit.tsx";
import { useStore } from "../use-store.ts";

export type SentCode = { id: string; email: string };
type CodeFormProps = { sent: SentCode; onDone: () => void; onBack: () => void };

export function CodeForm({ sent, onDone, onBack }: CodeFormProps) {
  const inLog = useStore(codesGoToLog);
  const field = useRef<HTMLInputElement>(null);
  const [code, setCode] = useState("");
  const [problem, setProblem] = useState<string | undefined>();
  // Before the form is painted: otherwise the first digits typed at once would be lost.
  useLayoutEffect(() => field.current?.focus(), []);
  const { submit, busy } = useForm(async () => {
    setProblem(undefined);
    const answer = await signIn({ ...sent, code });
    if (answer.ok) {
      onDone();
      return;
    }
    setProblem(answer.message);
    // The wrong code is selected, so that typing replaces it.
    field.current?.focus();
    field.current?.select();
  });
  return (
    <form class="card" onSubmit={submit}>
      <p role="status">
        {inLog ? "The terminal or log of this service shows a code for" : "A code is on its way to"}{" "}
        <bdi>{sent.email}</bdi>. It works for ten minutes, in this window.
      </p>
      <Field label="Code">
        {(id) => (
          <input
            id={id}
            ref={field}
            class="code-field"
            inputMode="numeric"
            autocomplete="one-time-code"
            required
            maxLength={10}
            pattern="\s*(\d\s*){6}"
            title="six digits"
            dir="ltr"
            value={code}
            onInput={(event) => setCode(event.currentTarget.value)}
          />
        )}
      </Field>
      {problem !== undefined && <Notice kind="error">{problem}</Notice>}
      <div class="row">
        <SubmitButton look="primary" busy={busy}>
          Sign in
        </SubmitButton>
        <button type="button" class="quiet" onClick={onBack}>
          Another address or a new code
        </button>
      </div>
    </form>
  );
}
