/** API keys as a table: what each is for, how it was used, and buttons to change and revoke it. */
import type { ApiKey } from "../api/account-wire.ts";
import { DataTable } from "../components/boxes/data-table.tsx";
import { ConfirmButton } from "../components/controls/confirm-button.tsx";
import { formatCredits, formatDay, formatMoment } from "../components/format.ts";

type KeyTableProps = {
  label: string;
  keys: readonly ApiKey[];
  onChange: (key: ApiKey, button: HTMLElement) => void;
  onRevoke: (key: ApiKey) => void;
};

export function KeyTable({ label, keys, onChange, onRevoke }: KeyTableProps) {
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
