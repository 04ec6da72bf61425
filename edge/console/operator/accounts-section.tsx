/** Accounts: found by address or id, credited, suspended and resumed. */
import type { SubmitEventHandler } from "preact";
import { useState } from "preact/hooks";
import type { Result } from "../api/call-api.ts";
import { addCredits, type OperatedAccount, searchAccounts, setSuspended } from "../api/operator-wire.ts";
import { type Said, sayResult } from "../api/say-result.ts";
import { Card } from "../components/boxes/card.tsx";
import { DataTable } from "../components/boxes/data-table.tsx";
import { bringIntoView, Notice } from "../components/boxes/notice.tsx";
import { ignoreHeldKey } from "../components/controls/clicks.ts";
import { ConfirmButton } from "../components/controls/confirm-button.tsx";
import { SubmitButton, useForm } from "../components/controls/submit.tsx";
import { formatCredits, formatMoment } from "../components/format.ts";
import { QueryState, useQuery } from "../components/query.tsx";

/** As many as the API lists. */
const maxShown = 100;

/** `done`: what is said when it has worked. */
type Act = (work: Promise<Result<OperatedAccount>>, done: string) => Promise<Result<OperatedAccount>>;

/** Whether the service said yes or no. After anything else it may have acted: its answer was lost, or it failed afterwards. */
const isDecided = (answer: Result<unknown>): boolean =>
  answer.ok || (answer.status >= 400 && answer.status < 500);

export function AccountsSection() {
  const [text, setText] = useState("");
  const [search, setSearch] = useState("");
  const [said, setSaid] = useState<Said | undefined>();
  const { result, isSlow, ask } = useQuery(() => searchAccounts(search), [search]);
  const act: Act = async (work, done) => {
    const answer = await work;
    setSaid(sayResult(answer, () => done));
    // Otherwise the list is likely to fail, too, and would remove the table with the sum and the reference that are to be sent again.
    if (isDecided(answer)) ask();
    return answer;
  };
  const submit: SubmitEventHandler<HTMLFormElement> = (event) => {
    event.preventDefault();
    if (text.trim() === search) ask();
    setSearch(text.trim());
  };
  return (
    <Card title="Accounts">
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
      {said !== undefined && (
        <div key={said.message} ref={said.kind === "error" ? bringIntoView : null}>
          <Notice kind={said.kind}>{said.message}</Notice>
        </div>
      )}
      <QueryState result={result} isSlow={isSlow} ask={ask} />
      {result?.ok && result.value.data.length === 0 && <p class="empty">No account was found.</p>}
      {result?.ok && result.value.data.length > 0 && <AccountTable accounts={result.value.data} act={act} />}
      {result?.ok && result.value.data.length >= maxShown && (
        <p class="hint">Only {maxShown} accounts are shown, the newest: search for the others.</p>
      )}
    </Card>
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

/** The first press asks whether to add the sum, the second adds it: a slip of the finger would cost money. */
function CreditForm({ account: { account_id: id, email }, act }: AccountProps) {
  const [amount, setAmount] = useState("");
  const [asked, setAsked] = useState(false);
  // Names the payment, which is credited once under it. The same until the service has decided: an answer may be lost, and the button
  // pressed again.
  const [reference, setReference] = useState(() => crypto.randomUUID());
  const sum = formatCredits(Number(amount));
  const { submit, busy } = useForm(async () => {
    setAsked(!asked);
    if (!asked) return;
    const answer = await act(addCredits(id, Number(amount), reference), `${email} got ${sum} credits.`);
    if (answer.ok) setAmount("");
    if (isDecided(answer)) setReference(crypto.randomUUID());
  });
  return (
    <form
      class="row no-wrap"
      onSubmit={submit}
      // Safari does not focus a button that is clicked, so `relatedTarget` is null there. That is no reason to take the question back.
      onFocusOut={({ currentTarget, relatedTarget }) =>
        relatedTarget instanceof Node && !currentTarget.contains(relatedTarget) && setAsked(false)
      }
    >
      <input
        class="amount"
        type="number"
        min="0.000001"
        step="any"
        required
        inputMode="decimal"
        aria-label={`Credits for ${email}`}
        value={amount}
        onInput={(event) => {
          setAmount(event.currentTarget.value);
          setAsked(false);
        }}
        onKeyDown={(event) => event.key === "Enter" && ignoreHeldKey(event)}
      />
      <SubmitButton
        look="small"
        busy={busy}
        name={asked ? `Add ${sum}? Press again to add credits for ${email}` : `Add credits for ${email}`}
      >
        {asked ? `Add ${sum}?` : "Add"}
      </SubmitButton>
    </form>
  );
}

function AccessButton({ account: { account_id: id, email, suspended_at: suspendedAt }, act }: AccountProps) {
  if (suspendedAt === null)
    return (
      <ConfirmButton
        label="Suspend"
        about={email}
        onConfirm={() => void act(setSuspended(id, true), `${email} is suspended.`)}
      />
    );
  return (
    <button
      type="button"
      class="small"
      aria-label={`Resume ${email}`}
      onClick={() => void act(setSuspended(id, false), `${email} is resumed.`)}
    >
      Resume
    </button>
  );
}
