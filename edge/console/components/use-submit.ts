/** A hook for forms whose answer costs credits: asks only when somebody has signed in, shows errors, reads the balance again. */
import type { SubmitEventHandler } from "preact";
import { useState } from "preact/hooks";
import { refreshAccount } from "../api/account.ts";
import type { Result } from "../api/call-api.ts";
import { readCaller } from "../api/session.ts";
import { signInFirst } from "../session.ts";
import { focusKeyField } from "./key-panel.tsx";

type Answer<Value> = Extract<Result<Value>, { ok: true }>;

export function useSubmit<Value>(
  ask: () => Promise<Result<Value>>,
  onAnswer: (answer: Answer<Value>) => void,
): { submit: SubmitEventHandler<HTMLFormElement>; busy: boolean; problem: string | undefined } {
  const [problem, setProblem] = useState<string | undefined>();
  const [busy, setBusy] = useState(false);

  const submit: SubmitEventHandler<HTMLFormElement> = async (event) => {
    event.preventDefault();
    setBusy(true);
    setProblem(undefined);
    if ((await readCaller()) === undefined) {
      setBusy(false);
      setProblem(signInFirst);
      focusKeyField();
      return;
    }
    const result = await ask();
    setBusy(false);
    if (!result.ok) {
      setProblem(result.message);
      return;
    }
    onAnswer(result);
    void refreshAccount();
  };
  return { submit, busy, problem };
}
