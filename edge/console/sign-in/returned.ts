/** What a provider sent this browser back with, read out of the address that it opened. Pure. */
import {
  type IdentityProvider,
  isIdentityProvider,
  linkingState,
} from "../../../shared/identity-providers.ts";

export type Returned = {
  provider: IdentityProvider;
  /** Whether it is to be linked to the account that is signed in, not to begin a session. */
  isToLink: boolean;
  /** Undefined: it did not say who somebody is. Why, in its own words, is not shown: whoever made the address wrote them. */
  proof: { provider: IdentityProvider; state: string; answer: string } | undefined;
};

/** Undefined for an address that no provider leads to. A code comes in the query, Telegram's fields in the fragment. */
export function readReturned({ pathname, searchParams, hash }: URL): Returned | undefined {
  const [page, provider = "", ...more] = pathname.split("/").slice(1);
  if (page !== "sign-in" || !isIdentityProvider(provider) || more.length > 0) return undefined;
  const answer = searchParams.get("code") ?? new URLSearchParams(hash.slice(1)).get("tgAuthResult");
  const state = searchParams.get("state");
  const isWhole = answer !== null && answer !== "" && state !== null;
  const isToLink = state?.startsWith(linkingState) === true;
  return { provider, isToLink, proof: isWhole ? { provider, state, answer } : undefined };
}
