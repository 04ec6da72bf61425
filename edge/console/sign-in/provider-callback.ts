/** Reads a provider's answer from the address that it sent this browser back to. Pure. */
import {
  type IdentityProvider,
  isIdentityProvider,
  linkingState,
} from "../../../shared/identity-providers.ts";

export type ProviderCallback = {
  provider: IdentityProvider;
  /** Whether the identity is to be linked to the signed-in account, instead of beginning a session. */
  isToLink: boolean;
  /** Undefined if the provider did not identify anybody. Its reason is not shown, since anybody may have written the address. */
  proof: { provider: IdentityProvider; state: string; answer: string } | undefined;
};

/** Undefined for an address of no provider. A code comes in the query, Telegram's fields in the fragment. */
export function readProviderCallback({ pathname, searchParams, hash }: URL): ProviderCallback | undefined {
  const [page, provider = "", ...more] = pathname.split("/").slice(1);
  if (page !== "sign-in" || !isIdentityProvider(provider) || more.length > 0) return undefined;
  const answer = searchParams.get("code") ?? new URLSearchParams(hash.slice(1)).get("tgAuthResult");
  const state = searchParams.get("state");
  const isWhole = answer !== null && answer !== "" && state !== null;
  const isToLink = state?.startsWith(linkingState) === true;
  return { provider, isToLink, proof: isWhole ? { provider, state, answer } : undefined };
}
