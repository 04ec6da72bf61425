/** The ways to sign in, or to paste an API key. Shown while nobody has signed in, or while the service refuses the pasted key. */
import type { SubmitEventHandler } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { account, refusesKey } from "../../api/account.ts";
import { askSession, codesGoToLog, sessionAnswer } from "../../api/session.ts";
import { sessionEnded, sessionOver } from "../../api/watch-session.ts";
import { focusMain, followLink } from "../../router.ts";
import { caller, forgetCaller, pasteKey } from "../../session.ts";
import { useStore } from "../../use-store.ts";
import { bringIntoView, Notice } from "../boxes/notice.tsx";
import { Refused } from "../query.tsx";

const oddKey =
  "This is no API key: a key has no spaces, and no characters such as “…”. The list of keys shows only how each begins.";

export function KeyPanel() {
  const id = useId();
  const who = useStore(caller);
  const known = useStore(account);
  const ended = useStore(sessionEnded);
  const answer = useStore(sessionAnswer);
  const isSelfHosted = useStore(codesGoToLog);
  const refusal = known.state === "refused" && refusesKey(known.refusal) ? known.refusal : undefined;
  const { text, setText, keep, setKeep, problem, submit } = useKeyForm(refusal?.message);
  if (who === undefined ? answer === "pending" : refusal === undefined) return null;
  return (
    <form class="card key-panel" onSubmit={submit}>
      {typeof answer !== "string" && <Refused {...answer} onAgain={() => void askSession()} />}
      {ended && <Notice kind="error">{sessionOver}</Notice>}
      <a class="button primary" href="/sign-in" onClick={followLink}>
        Sign in or sign up
      </a>
      <p class="or">or</p>
      <label for={id}>API key</label>
      <div class="row">
        <input
          id={id}
          class="key-field"
          type="password"
          autocomplete="off"
          spellcheck={false}
          placeholder="svc_sk_live_…"
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
          aria-describedby={`${id}-hint`}
        />
        <button type="submit">Use key</button>
      </div>
      {problem !== undefined && (
        <div key={problem} ref={bringIntoView}>
          <Notice kind="error">{problem}</Notice>
        </div>
      )}
      <label class="check">
        <input type="checkbox" checked={keep} onChange={(event) => setKeep(event.currentTarget.checked)} />
        Keep it until this tab closes
      </label>
      <p id={`${id}-hint`} class="hint">
        The key stays in this page's memory and is sent to this service only.
        {isSelfHosted && (
          <>
            {" "}
            <code>npm start</code> prints one, and a link that signs in, for the demo account.
          </>
        )}
      </p>
    </form>
  );
}

/** @param refusal why the service does not take the key that was pasted */
function useKeyForm(refusal: string | undefined) {
  const known = useStore(account);
  const [text, setText] = useState("");
  const [keep, setKeep] = useState(false);
  const [isOdd, setIsOdd] = useState(false);
  const pasted = useRef(false);
  useEffect(() => {
    if (known.state === "loading") return;
    if (refusal !== undefined && pasted.current) focusKeyField();
    pasted.current = false;
  }, [known]);
  const submit: SubmitEventHandler<HTMLFormElement> = (event) => {
    event.preventDefault();
    const key = text.trim();
    if (key === "") return;
    // The browser refuses to send any other character, and that would look like a service that is not there.
    const isKey = /^[!-~]+$/.test(key);
    setIsOdd(!isKey);
    if (!isKey) return;
    if (caller.get() !== undefined) forgetCaller();
    pasteKey(key, keep);
    setText("");
    pasted.current = true;
    // This form vanishes, and the focus with it.
    focusMain();
  };
  return { text, setText, keep, setKeep, problem: isOdd ? oddKey : refusal, submit };
}

/** Moves the focus to the key's field. */
export function focusKeyField(): void {
  document.querySelector<HTMLInputElement>(".key-field")?.focus();
}
