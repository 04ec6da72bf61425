/** The account's own provider keys: which are stored and since when, added, replaced, deleted. Never read back. */
import type { SubmitEventHandler } from "preact";
import { useId, useState } from "preact/hooks";
import type { ProviderKind } from "../../../shared/providers.ts";
import {
  deleteProviderKey,
  type ProviderKeys,
  providers,
  readProviderKeys,
  storeProviderKey,
} from "../api/account-wire.ts";
import { ConfirmButton } from "../components/confirm-button.tsx";
import { formatMoment } from "../components/format.ts";
import { Notice } from "../components/notice.tsx";
import { QueryState } from "../components/query-state.tsx";
import { SubmitButton } from "../components/submit-button.tsx";
import { useQuery } from "../components/use-query.ts";

type Said = { kind: "info" | "error"; message: string };

export function ProviderKeysSection() {
  const id = useId();
  const { result, isSlow, ask } = useQuery(readProviderKeys, []);
  const [said, setSaid] = useState<Said | undefined>();
  const act = async (work: ReturnType<typeof deleteProviderKey>): Promise<boolean> => {
    const answer = await work;
    setSaid(
      answer.ok
        ? { kind: "info", message: answer.value.message }
        : { kind: "error", message: answer.message },
    );
    ask();
    return answer.ok;
  };
  return (
    <section class="card" aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`}>Provider keys</h2>
      <p class="hint">
        Used before the pool and without its markup. Each is tried with its provider, then sealed; it can be
        replaced and deleted, never read.
      </p>
      <QueryState result={result} isSlow={isSlow} ask={ask} />
      {said !== undefined && <Notice kind={said.kind}>{said.message}</Notice>}
      {result?.ok && (
        <ul class="provider-keys">
          {providers.map((provider) => (
            <ProviderRow key={provider.kind} {...provider} keys={result.value} act={act} />
          ))}
        </ul>
      )}
    </section>
  );
}

type ProviderRowProps = {
  kind: ProviderKind;
  title: string;
  shape: string;
  keys: ProviderKeys;
  act: (work: ReturnType<typeof deleteProviderKey>) => Promise<boolean>;
};

function ProviderRow({ kind, title, shape, keys, act }: ProviderRowProps) {
  const id = useId();
  const [text, setText] = useState("");
  const [busy, setBusy] = useState(false);
  const stored = keys[`has_${kind}_key`] === true;
  const validated = keys[`${kind}_last_validated`];
  const submit: SubmitEventHandler<HTMLFormElement> = async (event) => {
    event.preventDefault();
    if (text.trim() === "") return;
    setBusy(true);
    if (await act(storeProviderKey(kind, text.trim()))) setText("");
    setBusy(false);
  };
  return (
    <li>
      <form class="provider-row" onSubmit={submit}>
        <label for={id}>{title}</label>
        <span class="hint">
          {stored
            ? `stored, validated ${formatMoment(typeof validated === "string" ? validated : null)}`
            : "not stored"}
        </span>
        <input
          id={id}
          type="password"
          autocomplete="off"
          spellcheck={false}
          placeholder={shape}
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
        <div class="row no-wrap">
          <SubmitButton busy={busy}>{busy ? "Trying…" : stored ? "Replace" : "Add"}</SubmitButton>
          {stored && (
            <ConfirmButton
              label="Delete"
              about={`the ${title} key`}
              onConfirm={() => void act(deleteProviderKey(kind))}
            />
          )}
        </div>
      </form>
    </li>
  );
}
