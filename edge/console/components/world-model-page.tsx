/** What the rollout and embeddings pages share: a form on one side, its result on the other, and the hook that sends the form. */
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { refreshAccount } from "../api/account.ts";
import type { Result } from "../api/call-api.ts";
import { rememberRequest } from "../api/sent-requests.ts";
import { caller, signInFirst } from "../session.ts";
import { useScrollIntoView } from "./boxes/use-scroll-into-view.ts";
import type { Failure } from "./caller/failure.tsx";
import { FormSide } from "./caller/form-side.tsx";
import { focusKeyField } from "./caller/key-panel.tsx";
import { useForm } from "./controls/submit.tsx";

type WorldModelPageProps = {
  title: string;
  intro: string;
  /** Shown before there is a result. */
  empty: string;
  form: ComponentChildren;
  /** Changes with each result. */
  shown: object | undefined;
  result: ComponentChildren;
};

export function WorldModelPage({ title, intro, empty, form, shown, result }: WorldModelPageProps) {
  const box = useScrollIntoView<HTMLDivElement>(shown);
  return (
    <div class="playground">
      <div class="intro">
        <h1>{title}</h1>
        <p>{intro}</p>
      </div>
      <FormSide>{form}</FormSide>
      <div class="right" ref={box}>
        {shown === undefined ? <p class="empty">{empty}</p> : result}
      </div>
    </div>
  );
}

type Answer<Value> = Extract<Result<Value>, { ok: true }>;

/**
 * A hook for such a form: asks only if somebody has signed in, as an answer costs credits, and reads the balance again after it.
 * @param what the request's name among those that were sent
 */
export function useSubmit<Value>(
  what: string,
  ask: () => Promise<Result<Value>>,
  onAnswer: (answer: Answer<Value>) => void,
): ReturnType<typeof useForm> & { problem: Failure | undefined } {
  const [problem, setProblem] = useState<Failure | undefined>();
  const form = useForm(async () => {
    setProblem(undefined);
    if (caller.get() === undefined) {
      setProblem({ message: signInFirst });
      focusKeyField();
      return;
    }
    const result = await ask();
    if (!result.ok) {
      setProblem(result);
      return;
    }
    rememberRequest(result.headers.get("x-request-id"), what);
    onAnswer(result);
    void refreshAccount();
  });
  return { ...form, problem };
}
