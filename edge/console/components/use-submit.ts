/** A hook for forms whose answer costs credits: asks only when somebody has signed in, shows errors, reads the balance again. */
import { useState } from "preact/hooks";
import { refreshAccount } from "../api/account.ts";
import type { Result } from "../api/call-api.ts";
import { caller, signInFirst } from "../session.ts";
import { focusKeyField } from "./key-panel.tsx";
import { useForm } from "./use-form.ts";

type Answer<Value> = Extract<Result<Value>, { ok: true }>;

export function useSubmit<Value>(
  ask: () => Promise<Result<Value>>,
  onAnswer: (answer: Answer<Value>) => void,
): ReturnType<typeof useForm> & { problem: string | undefined } {
  const [problem, setProblem] = useState<string | undefined>();
  const form = useForm(async () => {
    setProblem(undefined);
    if (caller.get() === undefined) {
      setProblem(signInFirst);
      focusKeyField();
      return;
    }
    const result = await ask();
    if (!result.ok) {
      setProblem(result.message);
      return;
    }
    onAnswer(result);
    void refreshAccount();
  });
  return { ...form, problem };
}
