/** In the header: whose credits are used, and the way out. */
import { account } from "../api/account.ts";
import { signOut } from "../session.ts";
import { useStore } from "../store.ts";
import { formatCredits } from "./format.ts";

export function AccountChip() {
  const known = useStore(account);
  if (known.state !== "known") return null;
  const { balance, email } = known.balance;
  return (
    <div class="chip" title={email}>
      <span class="chip-email">
        <bdi>{email}</bdi>
      </span>
      <span class="chip-credits">{formatCredits(balance)} credits</span>
      <button type="button" class="quiet small" onClick={signOut}>
        Forget key
      </button>
    </div>
  );
}
