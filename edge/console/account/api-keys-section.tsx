/** The account's API keys: made here and shown once, listed with their spending, changed, revoked after a confirmation. */
import { useId, useRef, useState } from "preact/hooks";
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
import { ConfirmButton } from "../components/confirm-button.tsx";
import { CopyButton } from "../components/copy-button.tsx";
import { DataTable } from "../components/data-table.tsx";
import { formatCredits, formatDay, formatMoment } from "../components/format.ts";
import { bringIntoView, Notice } from "../components/notice.tsx";
import { QueryState } from "../components/query-state.tsx";
import { useQuery } from "../components/use-query.ts";
import { followLink } from "../router.ts";
import { ChangeKeyForm } from "./change-key-form.tsx";
import { NewKeyForm } from "./new-key-form.tsx";

export function ApiKeysSection() {
  const id = useId();
  const { result, isSlow, ask } = useQuery(listApiKeys, []);
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
    // "Delete one first" is done.
    setRefusal(undefined);
    if (made?.id === key.id) setMade(undefined);
    if (changing?.id === key.id) setChanging(undefined);
    ask();
  };
  const keys = result?.ok ? result.value.data : [];
  const active = keys.filter((key) => key.revoked_at === null);
  const revoked = keys.filter((key) => key.revoked_at !== null);
  const mayNotManage = result?.ok === false && result.status === 403;
  return (
    <section class="card" aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`}>API keys</h2>
      {mayNotManage ? <MayNotManage /> : <QueryState result={result} isSlow={isSlow} ask={ask} />}
      {problem !== undefined && (
        <div ref={bringIntoView}>
          <Notice kind="error">{problem}</Notice>
        </div>
      )}
      {made !== undefined && (
        <div key={made.id} ref={showMade} class="notice notice-made" role="status">
          <p>
            Key <bdi>{made.name}</bdi> is made. It is shown this once: copy it now.
          </p>
          <div class="row">
            <code class="made-key">{made.api_key}</code>
            <CopyButton label="Copy key" read={() => made.api_key} />
          </div>
        </div>
      )}
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
    </section>
  );
}

/** The form that had the focus was disabled meanwhile, and has lost it. */
function showMade(box: HTMLElement | null): void {
  bringIntoView(box);
  box?.querySelector("button")?.focus({ preventScroll: true });
}

/** Instead of the API's sentence, which is for programs. */
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

type KeyTableProps = {
  label: string;
  keys: readonly ApiKey[];
  onChange: (key: ApiKey, button: HTMLElement) => void;
  onRevoke: (key: ApiKey) => void;
};

function KeyTable({ label, keys, onChange, onRevoke }: KeyTableProps) {
  return (
    <DataTable
      label={`${label} as a table`}
      kind="keys"
      columns={["Name", "Key", "Last used", "Expires", "Credits this month", "Models", "Action"]}
      rows={keys.map((key) => ({
        key: key.id,
        ended: key.revoked_at !== null,
        head: (
          <>
            <bdi>{key.name}</bdi>
            {key.manage && <span class="badge">manages</span>}
          </>
        ),
        cells: [
          key.prefix !== null && <code>{key.prefix}…</code>,
          <Day moment={key.last_used_at} />,
          <>
            {isExpired(key) && "expired "}
            <Day moment={key.expires_at} />
          </>,
          <span class="number">
            {formatCredits(key.spent_this_month ?? 0)}
            {key.monthly_budget !== null && ` of ${formatCredits(key.monthly_budget)}`}
          </span>,
          <Models names={key.models} />,
          key.revoked_at === null ? (
            <div class="row no-wrap">
              <button
                type="button"
                class="small"
                aria-label={`Change ${key.name}`}
                onClick={(event) => onChange(key, event.currentTarget)}
              >
                Change
              </button>
              <ConfirmButton label="Revoke" about={key.name} onConfirm={() => onRevoke(key)} />
            </div>
          ) : (
            <>
              revoked <Day moment={key.revoked_at} />
            </>
          ),
        ],
      }))}
    />
  );
}

const isExpired = ({ expires_at: expiry }: ApiKey): boolean =>
  expiry !== null && Date.parse(expiry) <= Date.now();

/** The day, with the time in its title: with the time in view the columns would not fit. */
function Day({ moment }: { moment: string | null }) {
  return (
    <span class="day" title={formatMoment(moment)}>
      {formatDay(moment)}
    </span>
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
