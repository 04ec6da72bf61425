/**
 * The requests that this page sent and that have a record, newest first. Only an account's own are shown to it. They lie in the page's
 * memory, like prompts and answers: the API has no list of requests.
 */
import { createStore } from "../store.ts";
import { account } from "./account.ts";

export type SentRequest = { id: string; about: string; sentAt: number; accountId: string };

const maxKept = 20;

export const sentRequests = createStore<readonly SentRequest[]>([]);

/** @param about what its sender knows it by */
export function rememberRequest(id: string | null, about: string, sentAt = Date.now()): void {
  const known = account.get();
  if (id === null || known.state !== "known") return;
  const sent = { id, about, sentAt, accountId: known.balance.account_id };
  sentRequests.set([sent, ...sentRequests.get()].slice(0, maxKept));
}
