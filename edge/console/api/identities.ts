/** The ways in which the signed-in account's owner signs in, as the page reads, links and unlinks them. */
import * as z from "zod/mini";
import { type IdentityProvider, identityProviders } from "../../../shared/identity-providers.ts";
import { createStore } from "../store.ts";
import { callApi } from "./call-api.ts";
import { type Said, sayResult } from "./say-result.ts";
import { asked, ProviderRedirect } from "./session.ts";

const WaysIn = z.object({
  email: z.nullable(z.string()),
  data: z.array(
    z.object({
      provider: z.string(),
      subject: z.string(),
      linked_at: z.nullable(z.string()),
      removable: z.boolean(),
    }),
  ),
});
export type WaysIn = z.infer<typeof WaysIn>;
export type LinkedIdentity = WaysIn["data"][number];

const path = "/v1/account/session/identities";

export const readWaysIn = () => callApi(path, WaysIn);

/** The provider's address to which the browser goes; it comes back to /sign-in/PROVIDER. */
export const leaveToLink = (provider: IdentityProvider) =>
  callApi(`${path}/${provider}`, ProviderRedirect, { method: "POST" });

export const unlinkIdentity = ({ provider, subject }: LinkedIdentity) =>
  callApi(`${path}?${new URLSearchParams({ provider, subject })}`, WaysIn, { method: "DELETE" });

/** The result of linking, for the account page: the browser comes back to another page. */
export const linkingResult = createStore<Said | undefined>(undefined);

/** Hands in a provider's answer; `proof` is undefined if the provider did not identify anybody. */
export async function linkIdentity(
  provider: IdentityProvider,
  proof: { state: string; answer: string } | undefined,
): Promise<void> {
  const { title } = identityProviders[provider];
  if (proof === undefined) {
    linkingResult.set({ kind: "error", message: `${title} did not say who you are, so it was not linked.` });
    return;
  }
  await asked;
  const answer = await callApi(path, WaysIn, { method: "POST", body: { provider, ...proof } });
  linkingResult.set(sayResult(answer, () => `${title} is linked: it signs in to this account from now on.`));
}
