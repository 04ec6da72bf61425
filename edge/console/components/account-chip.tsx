/** In the header: whose credits are used and the way out, or the way in. */
import { pageOf } from "../../../shared/console-pages.ts";
import { followLink, path } from "../address.ts";
import { account } from "../api/account.ts";
import { signOut } from "../api/session.ts";
import { caller } from "../session.ts";
import { useStore } from "../store.ts";
import { formatCredits } from "./format.ts";

export function AccountChip() {
  const known = useStore(account);
  const who = useStore(caller);
  const page = pageOf(useStore(path));
  if (who === undefined)
    return page === "/sign-in" ? null : (
      <a class="sign-in-link" href="/sign-in" onClick={followLink}>
        Sign in
      </a>
    );
  if (known.state !== "known") return null;
  const { balance, email } = known.balance;
  return (
    <div class="chip" title={email}>
      <span class="chip-email">
        <bdi>{email}</bdi>
      </span>
      <span class="chip-credits">{formatCredits(balance)} credits</span>
      <button type="button" class="quiet small" onClick={() => void signOut()}>
        {who.kind === "key" ? "Forget key" : "Sign out"}
      </button>
    </div>
  );
}
