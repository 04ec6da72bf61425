/** In the header: whose credits are used, with a way to sign out; or a way to sign in. */
import { pageOf } from "../../../shared/console-pages.ts";
import { account, type Balance } from "../api/account.ts";
import { sessionAnswer } from "../api/session.ts";
import { followLink, path } from "../router.ts";
import { caller } from "../session.ts";
import { useStore } from "../use-store.ts";
import { cutToCents, formatCredits } from "./format.ts";
import { SignOutButton } from "./sign-out-button.tsx";

export function AccountChip() {
  const known = useStore(account);
  const who = useStore(caller);
  const page = pageOf(useStore(path));
  const answer = useStore(sessionAnswer);
  if (who === undefined)
    return page === "/sign-in" || answer === "pending" ? null : (
      <a class="sign-in-link" href="/sign-in" onClick={followLink}>
        Sign in
      </a>
    );
  return (
    <div class="chip">
      {known.state === "known" && <Credits {...known.balance} />}
      <SignOutButton look="quiet small" />
    </div>
  );
}

function Credits({ balance, email }: Balance) {
  return (
    <>
      <span class="chip-email" title={email}>
        <bdi>{email}</bdi>
      </span>
      <span class="chip-credits" title={`${formatCredits(balance)} credits`}>
        {formatCredits(cutToCents(balance))} credits
      </span>
    </>
  );
}
