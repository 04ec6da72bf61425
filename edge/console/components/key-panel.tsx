/** Asks for an API key where nobody has signed in; gone once somebody has. */
import type { SubmitEventHandler } from "preact";
import { useId, useState } from "preact/hooks";
import { followLink } from "../address.ts";
import { account } from "../api/account.ts";
import { caller, forgetCaller, pasteKey } from "../session.ts";
import { useStore } from "../store.ts";
import { Notice } from "./notice.tsx";

export function KeyPanel() {
  const who = useStore(caller);
  const known = useStore(account);
  const id = useId();
  const [text, setText] = useState("");
  const [keep, setKeep] = useState(false);
  if (who !== undefined && known.state !== "refused") return null;

  const submit: SubmitEventHandler<HTMLFormElement> = (event) => {
    event.preventDefault();
    const pasted = text.trim();
    if (pasted === "") return;
    if (who !== undefined) forgetCaller();
    pasteKey(pasted, keep);
    setText("");
  };
  return (
    <form class="card key-panel" onSubmit={submit}>
      <label for={`${id}-key`}>API key</label>
      <div class="row">
        <input
          id={`${id}-key`}
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
      <label class="check">
        <input type="checkbox" checked={keep} onChange={(event) => setKeep(event.currentTarget.checked)} />
        Keep it until this tab closes
      </label>
      <p id={`${id}-hint`} class="hint">
        The key stays in this page's memory and is sent to this service only. Without one,{" "}
        <a href="/sign-in" onClick={followLink}>
          sign in
        </a>
        ; <code>npm start</code> prints a key and a link for the demo account.
      </p>
      {known.state === "refused" && <Notice kind="error">{known.refusal.message}</Notice>}
    </form>
  );
}

/** Puts the reader where the key goes. */
export function focusKeyField(): void {
  document.querySelector<HTMLInputElement>(".key-field")?.focus();
}
