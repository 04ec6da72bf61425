/**
 * The account page: balance, usage, one request, API keys, provider keys, ways to sign in. Shows nothing until somebody has
 * signed in.
 */
import { useEffect } from "preact/hooks";
import { account, refreshAccount, refusesKey } from "../api/account.ts";
import { sessionAnswer } from "../api/session.ts";
import { KeyPanel } from "../components/caller/key-panel.tsx";
import { formatCredits } from "../components/format.ts";
import { Loading, Refused } from "../components/query.tsx";
import { caller } from "../session.ts";
import { useStore } from "../use-store.ts";
import { ApiKeysSection } from "./api-keys-section.tsx";
import { ProviderKeysSection } from "./provider-keys-section.tsx";
import { RequestSection } from "./request-section.tsx";
import { LinkingNotice, SignInSection } from "./sign-in-section.tsx";
import { UsageSection } from "./usage-section.tsx";

export function AccountPage() {
  const known = useStore(account);
  const who = useStore(caller);
  const isPending = useStore(sessionAnswer) === "pending";
  useEffect(() => void refreshAccount(), []);
  return (
    <div class="account">
      <h1>Account</h1>
      <LinkingNotice />
      {known.state === "signed-out" &&
        (isPending ? (
          <Loading />
        ) : (
          <p class="hint">Sign in or paste an API key to see an account's balance, usage and keys.</p>
        ))}
      <KeyPanel />
      {known.state === "loading" && <Loading />}
      {known.state === "refused" && !refusesKey(known.refusal) && (
        <Refused {...known.refusal} onAgain={() => void refreshAccount()} />
      )}
      {known.state === "known" && (
        <>
          <section class="card balance" aria-label="Balance">
            <p class="balance-number">{formatCredits(known.balance.balance)}</p>
            <p class="hint">credits left; 1 credit is 1 US dollar</p>
            {known.balance.balance === 0 && (
              <p class="hint">
                The operator of this service adds credit: tell them the address or the id below. With a
                provider key of your own only planning is charged.
              </p>
            )}
            <p class="hint">
              <bdi>{known.balance.email}</bdi> · <code>{known.balance.account_id}</code>
            </p>
          </section>
          <UsageSection />
          <RequestSection />
          <ApiKeysSection />
          <ProviderKeysSection />
          {who?.kind === "session" && <SignInSection />}
        </>
      )}
    </div>
  );
}
