/** The signed-in account's balance, read again after each request that may have cost something. */
import * as z from "zod/mini";
import { caller } from "../session.ts";
import { createStore } from "../store.ts";
import { callApi, type Refusal } from "./call-api.ts";

const Balance = z.object({ balance: z.number(), account_id: z.string(), email: z.string() });
export type Balance = z.infer<typeof Balance>;

export type AccountState =
  | { state: "signed-out" }
  | { state: "loading" }
  | { state: "known"; balance: Balance }
  | { state: "refused"; refusal: Refusal };

/** Whether the key itself was refused. A failure or a rate limit says nothing about the key. */
export const refusesKey = ({ status }: Refusal): boolean => status === 401 || status === 403;

/** The account of this page's last session. */
let lastSignedIn: string | undefined;

export const account = createStore<AccountState>({ state: "signed-out" });

export async function refreshAccount(): Promise<void> {
  const who = caller.get();
  if (who === undefined) {
    account.set({ state: "signed-out" });
    return;
  }
  if (account.get().state !== "known") account.set({ state: "loading" });
  const result = await callApi("/v1/account/balance", Balance);
  // Somebody else has signed in meanwhile, so the answer is dropped.
  if (caller.get() !== who) return;
  if (result.ok && who.kind === "session") {
    const { account_id: id } = result.value;
    // Conversations and forms outlive a session. Another account must not see them, so for it the page is loaded anew.
    if (lastSignedIn !== undefined && lastSignedIn !== id) {
      location.reload();
      return;
    }
    lastSignedIn = id;
  }
  account.set(result.ok ? { state: "known", balance: result.value } : { state: "refused", refusal: result });
}

caller.subscribe(() => {
  // Nothing of the account before is shown, or acted on, under the name of the next one.
  account.set({ state: "loading" });
  void refreshAccount();
});
if (caller.get() !== undefined) void refreshAccount();
