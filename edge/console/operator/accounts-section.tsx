/** Accounts: found by address or id, credited, suspended and resumed. */
import type { SubmitEventHandler } from "preact";
import { useId, useState } from "preact/hooks";
import type { Result } from "../api/call-api.ts";
import { addCredits, type OperatedAccount, searchAccounts, setSuspended } from "../api/operator-wire.ts";
import { ConfirmButton } from "../components/confirm-button.tsx";
import { DataTable } from "../components/data-table.tsx";
import { formatCredits, formatMoment } from "../components/format.ts";
import { Notice } from "../components/notice.tsx";
import { QueryState } from "../components/query-state.tsx";
import { useQuery } from "../components/use-query.ts";

/** The API's own bound. */
const maxShown = 100;

type Act = (work: Promise<Result<OperatedAccount>>) => Promise<boolean>;

export function AccountsSection() {
  const id = useId();
  const [text, setText] = useState("");
  const [search, setSearch] = useState("");
  const [problem, setProblem] = useState<string | undefined>();
  const { result, ask } = useQuery(() => searchAccounts(search), [search]);
  const act: Act = async (work) => {
    const answer = await work;
    setProblem(answer.ok ? undefined : answer.message);
    ask();
    return answer.ok;
  };
  const submit: SubmitEventHandler<HTMLFormElement> = (event) => {
    event.preventDefault();
    if (text.trim() === search) ask();
    setSearch(text.trim());
  };
  return (
    <section class="card" aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`}>Accounts</h2>
      <form class="row no-wrap" onSubmit={submit}>
        <input
          type="search"
          aria-label="Address or account id"
          placeholder="Address or account id"
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
        <button type="submit">Search</button>
      </form>
      {problem !== undefined && <Notice kind="error">{problem}</Notice>}
      <QueryState result={result} ask={ask} />
      {result?.ok && result.value.data.length === 0 && <p class="empty">No account was found.</p>}
      {result?.ok && result.value.data.length > 0 && <AccountTable accounts={result.value.data} act={act} />}
      {result?.ok && result.value.data.length >= maxShown && (
        <p class="hint">Only {maxShown} accounts are shown, the newest: search for the others.</p>
      )}
    </section>
  );
}

function AccountTable({ accounts, act }: { accounts: readonly OperatedAccount[]; act: Act }) {
  return (
    <DataTable
      label="Accounts as a table"
      kind="keys"
      columns={["Account", "Credits", "Free to spend", "Since", "Add credits", "Access"]}
      rows={accounts.map((account) => ({
        key: account.account_id,
        ended: account.suspended_at !== null,
        head: (
          <>
            <bdi>{account.email}</bdi>
            {account.operator && <span class="badge">operator</span>}
            <br />
            <code>{account.account_id}</code>
          </>
        ),
        cells: [
          <span class="number">{formatCredits(account.balance)}</span>,
          <span class="number">{formatCredits(account.available)}</span>,
          formatMoment(account.created_at),
          <CreditForm account={account} act={act} />,
          <AccessButton account={account} act={act} />,
        ],
      }))}
    />
  );
}

type AccountProps = { account: OperatedAccount; act: Act };

function CreditForm({ account: { account_id: id, email }, act }: AccountProps) {
  const [amount, setAmount] = useState("");
  const [busy, setBusy] = useState(false);
  const credit: SubmitEventHandler<HTMLFormElement> = async (event) => {
    event.preventDefault();
    // A disabled button refuses clicks and Enter: each submission adds credit.
    setBusy(true);
    if (await act(addCredits(id, Number(amount)))) setAmount("");
    setBusy(false);
  };
  return (
    <form class="row no-wrap" onSubmit={credit}>
      <input
        class="amount"
        type="number"
        min="0.000001"
        step="any"
        required
        inputMode="decimal"
        aria-label={`Credits for ${email}`}
        value={amount}
        onInput={(event) => setAmount(event.currentTarget.value)}
      />
      <button type="submit" class="small" disabled={busy} aria-label={`Add credits for ${email}`}>
        Add
      </button>
    </form>
  );
}

function AccessButton({ account: { account_id: id, email, suspended_at: suspendedAt }, act }: AccountProps) {
  if (suspendedAt === null)
    return <ConfirmButton label="Suspend" about={email} onConfirm={() => void act(setSuspended(id, true))} />;
  return (
    <button
      type="button"
      class="small"
      aria-label={`Resume ${email}`}
      onClick={() => void act(setSuspended(id, false))}
    >
      Resume
    </button>
  );
}
