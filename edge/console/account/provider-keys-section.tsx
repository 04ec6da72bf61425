/** The account's own provider keys: which are stored and since when, added, replaced, deleted. Never read back. */
import { useId, useState } from "preact/hooks";
import type { ProviderKind } from "../../../shared/providers.ts";
import {
  deleteProviderKey,
  type ProviderKeys,
  providers,
  readProviderKeys,
  storeProviderKey,
} from "../api/account-wire.ts";
import { type Said, sayResult } from "../api/say-result.ts";
import { Card } from "../components/boxes/card.tsx";
import { Notice } from "../components/boxes/notice.tsx";
import { ConfirmButton } from "../components/controls/confirm-button.tsx";
import { SubmitButton, useForm } from "../components/controls/submit.tsx";
import { formatMoment } from "../components/format.ts";
import { QueryState, useQuery } from "../components/query.tsx";

export function ProviderKeysSection() {
  const { result, isSlow, ask } = useQuery(readProviderKeys, []);
  const [said, setSaid] = useState<Said | undefined>();
  const act = async (work: ReturnType<typeof deleteProviderKey>): Promise<boolean> => {
    const answer = await work;
    setSaid(sayResult(answer, ({ message }) => message));
    ask();
    return answer.ok;
  };
  return (
    <Card title="Provider keys">
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
    </Card>
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
  const stored = keys[`has_${kind}_key`] === true;
  const validated = keys[`${kind}_last_validated`];
  const { submit, busy } = useForm(async () => {
    const key = text.trim();
    if (key !== "" && (await act(storeProviderKey(kind, key)))) setText("");
  });
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
