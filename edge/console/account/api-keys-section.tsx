/** The account's API keys: made here and shown once, listed with their spending, changed, revoked after a confirmation. */
import { useRef, useState } from "preact/hooks";
import {
  type ApiKey,
  changeApiKey,
  createApiKey,
  type KeyChanges,
  type KeyRequest,
  listApiKeys,
  type NewApiKey,
  revokeApiKey,
} from "../api/account-wire.ts";
import { defaultModel } from "../api/model-names.ts";
import { Card } from "../components/boxes/card.tsx";
import { bringIntoView, Notice } from "../components/boxes/notice.tsx";
import { CopyButton } from "../components/controls/copy-button.tsx";
import { QueryState, useQuery } from "../components/query.tsx";
import { writeCurl } from "../components/write-curl.ts";
import { followLink } from "../router.ts";
import { ChangeKeyForm } from "./change-key-form.tsx";
import { KeyTable } from "./key-table.tsx";
import { NewKeyForm } from "./new-key-form.tsx";

export function ApiKeysSection() {
  const { query, made, changing, problem, refusal, create, change, beginChanging, endChanging, revoke } =
    useApiKeys();
  const { result } = query;
  const keys = result?.ok ? result.value.data : [];
  const active = keys.filter((key) => key.revoked_at === null);
  const revoked = keys.filter((key) => key.revoked_at !== null);
  const mayNotManage = result?.ok === false && result.status === 403;
  return (
    <Card title="API keys">
      {mayNotManage ? <MayNotManage /> : <QueryState {...query} />}
      {problem !== undefined && (
        <div ref={bringIntoView}>
          <Notice kind="error">{problem}</Notice>
        </div>
      )}
      {made !== undefined && <MadeKey key={made.id} made={made} />}
      {result?.ok && active.length === 0 && (
        <p class="hint">No active key. Programs call the API with one; the playground needs none.</p>
      )}
      {active.length > 0 && (
        <KeyTable label="API keys" keys={active} onChange={beginChanging} onRevoke={revoke} />
      )}
      {changing !== undefined && (
        <ChangeKeyForm
          key={changing.id}
          apiKey={changing}
          onChange={(changes) => change(changing, changes)}
          onCancel={endChanging}
        />
      )}
      {result?.ok && <NewKeyForm problem={refusal} onCreate={create} />}
      {revoked.length > 0 && (
        <details>
          <summary>
            Revoked keys <span class="label-hint">{revoked.length}</span>
          </summary>
          <KeyTable label="Revoked keys" keys={revoked} onChange={beginChanging} onRevoke={revoke} />
        </details>
      )}
    </Card>
  );
}

/** The list of keys, the key that was just made, the one that is being changed, and what became of each action. */
function useApiKeys() {
  const query = useQuery(listApiKeys, []);
  const { ask } = query;
  const [made, setMade] = useState<NewApiKey | undefined>();
  const [changing, setChanging] = useState<ApiKey | undefined>();
  const opener = useRef<HTMLElement>(null);
  const [problem, setProblem] = useState<string | undefined>();
  const [refusal, setRefusal] = useState<string | undefined>();

  const create = async (request: KeyRequest): Promise<boolean> => {
    const answer = await createApiKey(request);
    setProblem(undefined);
    setRefusal(answer.ok ? undefined : answer.message);
    // An earlier key that is not copied yet stays in view. The list is read also after a failure, since an answer may have been lost.
    if (answer.ok) setMade(answer.value);
    ask();
    return answer.ok;
  };
  const change = async (key: ApiKey, changes: KeyChanges): Promise<string | undefined> => {
    const answer = await changeApiKey(key.id, changes);
    if (!answer.ok) return answer.message;
    // The list is read again before the form closes: a form opened on old values would not notice a changed field.
    await ask();
    endChanging();
    return undefined;
  };
  const beginChanging = (key: ApiKey, button: HTMLElement) => {
    opener.current = button;
    setChanging(key);
  };
  const endChanging = () => {
    setChanging(undefined);
    opener.current?.focus();
  };
  const revoke = async (key: ApiKey) => {
    const answer = await revokeApiKey(key.id);
    setProblem(answer.ok ? undefined : answer.message);
    // It may have said that a key has to be revoked first, which is done now.
    setRefusal(undefined);
    if (made?.id === key.id) setMade(undefined);
    if (changing?.id === key.id) setChanging(undefined);
    ask();
  };
  return { query, made, changing, problem, refusal, create, change, beginChanging, endChanging, revoke };
}

/** A first request with the key: what to do with it is in view while the key is. */
const writeFirstRequest = ({ api_key: key, models }: NewApiKey): string =>
  `export SVC_API_KEY=${key}\n${writeCurl(location.origin, "/v1/chat/completions", {
    model: models?.[0] ?? defaultModel,
    messages: [{ role: "user", content: "Plan a weekend in Lisbon for two" }],
  })}`;

function MadeKey({ made }: { made: NewApiKey }) {
  const { name, api_key: key } = made;
  return (
    <div ref={showMade} class="notice notice-made" role="status">
      <p>
        Key <bdi>{name}</bdi> is made. It is shown this once: copy it now.
      </p>
      <div class="row">
        <code class="made-key">{key}</code>
        <CopyButton label="Copy key" read={() => key} />
        <CopyButton label="Copy as curl" read={() => writeFirstRequest(made)} />
      </div>
    </div>
  );
}

/** Brings the made key into view and focuses the button that copies it, the next thing to do. */
function showMade(box: HTMLElement | null): void {
  bringIntoView(box);
  box?.querySelector("button")?.focus({ preventScroll: true });
}

/** Shown for the API's 403 in place of its sentence, which is for programs. */
function MayNotManage() {
  return (
    <Notice kind="info">
      The pasted key may not manage keys.{" "}
      <a href="/sign-in" onClick={followLink}>
        Sign in
      </a>{" "}
      to make, change and revoke them.
    </Notice>
  );
}
