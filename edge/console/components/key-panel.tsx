/** Asks for an API key where none is known; gone once one is. */
import type { SubmitEventHandler } from "preact";
import { useId, useState } from "preact/hooks";
import { account } from "../api/account.ts";
import { apiKey, signIn, signOut } from "../session.ts";
import { useStore } from "../store.ts";
import { Notice } from "./notice.tsx";

export function KeyPanel() {
  const key = useStore(apiKey);
  const known = useStore(account);
  const id = useId();
  const [text, setText] = useState("");
  const [keep, setKeep] = useState(false);
  if (key !== undefined && known.state !== "refused") return null;

  const submit: SubmitEventHandler<HTMLFormElement> = (event) => {
    event.preventDefault();
    const pasted = text.trim();
    if (pasted === "") return;
    if (key !== undefined) signOut();
    signIn(pasted, keep);
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
        The key stays in this page's memory and is sent to this service only. <code>npm start</code> prints
        one for the demo account.
      </p>
      {known.state === "refused" && <Notice kind="error">{known.refusal.message}</Notice>}
    </form>
  );
}

/** Puts the reader where the key goes. */
export function focusKeyField(): void {
  document.querySelector<HTMLInputElement>(".key-field")?.focus();
}
