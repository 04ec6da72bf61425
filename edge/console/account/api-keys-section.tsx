/** The account's API keys: made here and shown once, listed with what they spent, revoked after a second question. */
import { useId, useState } from "preact/hooks";
import {
  type ApiKey,
  createApiKey,
  type KeyWish,
  listApiKeys,
  type NewApiKey,
  revokeApiKey,
} from "../api/account-wire.ts";
import { CopyButton } from "../components/copy-button.tsx";
import { DataTable } from "../components/data-table.tsx";
import { formatCredits, formatMoment } from "../components/format.ts";
import { Notice } from "../components/notice.tsx";
import { useAsked } from "../components/use-asked.ts";
import { NewKeyForm } from "./new-key-form.tsx";
import { SureButton } from "./sure-button.tsx";

export function ApiKeysSection() {
  const id = useId();
  const { result, ask } = useAsked(listApiKeys, []);
  const [made, setMade] = useState<NewApiKey | undefined>();
  const [problem, setProblem] = useState<string | undefined>();

  const create = async (wish: KeyWish): Promise<boolean> => {
    const answer = await createApiKey(wish);
    setProblem(answer.ok ? undefined : answer.message);
    setMade(answer.ok ? answer.value : undefined);
    if (answer.ok) ask();
    return answer.ok;
  };
  const revoke = async (key: ApiKey) => {
    const answer = await revokeApiKey(key.id);
    setProblem(answer.ok ? undefined : answer.message);
    if (made?.id === key.id) setMade(undefined);
    ask();
  };
  const keys = result?.ok ? result.value.data : [];
  return (
    <section class="card" aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`}>API keys</h2>
      {result !== undefined && !result.ok && <Notice kind="error">{result.message}</Notice>}
      {problem !== undefined && <Notice kind="error">{problem}</Notice>}
      {made !== undefined && (
        <div class="notice notice-made" role="status">
          <p>
            Key <bdi>{made.name}</bdi> is made. It is shown this once: copy it now.
          </p>
          <div class="row">
            <code class="made-key">{made.api_key}</code>
            <CopyButton label="Copy key" read={() => made.api_key} />
          </div>
        </div>
      )}
      {keys.length > 0 && <KeyTable keys={keys} onRevoke={revoke} />}
      {result?.ok && <NewKeyForm onWish={create} />}
    </section>
  );
}

function KeyTable({ keys, onRevoke }: { keys: readonly ApiKey[]; onRevoke: (key: ApiKey) => void }) {
  return (
    <DataTable
      label="API keys as a table"
      kind="keys"
      columns={["Name", "Key", "Last used", "Expires", "This month", "Models", "Action"]}
    >
      {keys.map((key) => (
        <tr key={key.id} class={key.revoked_at === null ? "" : "revoked"}>
          <th scope="row">
            <bdi>{key.name}</bdi>
            {key.manage && <span class="badge">manages</span>}
          </th>
          <td>{key.prefix !== null && <code>{key.prefix}…</code>}</td>
          <td>{formatMoment(key.last_used_at)}</td>
          <td>{formatMoment(key.expires_at)}</td>
          <td class="number">
            {formatCredits(key.spent_this_month ?? 0)}
            {key.monthly_budget !== null && ` of ${formatCredits(key.monthly_budget)}`}
          </td>
          <td>
            <Models names={key.models} />
          </td>
          <td>
            {key.revoked_at === null ? (
              <SureButton label="Revoke" about={key.name} onSure={() => onRevoke(key)} />
            ) : (
              `revoked ${formatMoment(key.revoked_at)}`
            )}
          </td>
        </tr>
      ))}
    </DataTable>
  );
}

function Models({ names }: { names: readonly string[] | null }) {
  if (names === null) return <>all</>;
  return (
    <ul>
      {names.map((name) => (
        <li key={name}>
          <code>{name}</code>
        </li>
      ))}
    </ul>
  );
}
