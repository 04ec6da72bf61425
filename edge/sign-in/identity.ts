/** What a provider of identities is asked, and what it says: the words that its rows and the routes share. */
import { GatewayError } from "../../shared/errors.ts";
import { type IdentityProvider, identityProviders } from "../../shared/identity-providers.ts";
import type { IdentitySettings } from "../sign-in-settings.ts";
import type { Attempt } from "./attempt.ts";

/** Who somebody is at a provider. */
export type Identity = {
  /** The provider's own id of the person, which outlives names and addresses. */
  subject: string;
  /** In the form accounts are found by; undefined unless the provider says that it has verified it. */
  email: string | undefined;
  /** What the provider gave for this one sign-in: it counts once. */
  proof: string;
};

export type Departure = {
  settings: IdentitySettings;
  attempt: Attempt;
  /** This service's own page, to which the provider sends the browser back. */
  redirectUri: string;
};

export type Return = Departure & {
  /** An authorization code, or Telegram's signed fields. */
  answer: string;
};

export type IdentityDeps = { fetch: typeof fetch; now: () => number };

/** How one provider is spoken to. */
export type IdentityRow = {
  /** Where the browser goes to be asked. */
  buildAddress: (departure: Departure) => Promise<URL>;
  /** Who came back. Throws sign_in_failed, service_unavailable. */
  identify: (returned: Return, deps: IdentityDeps) => Promise<Identity>;
};

/** @param reason for the log: a tag of ours, never the provider's words */
export const refuseIdentity = (provider: IdentityProvider, reason: string): GatewayError =>
  new GatewayError(
    "sign_in_failed",
    `Signing in with ${identityProviders[provider].title} did not work out or took too long; begin again.`,
    {},
    `${provider}-${reason}`,
  );

/** For an identity that was unlinked from the account of its address, and would join it again. */
export const refuseUnlinked = (provider: IdentityProvider, reason: string): GatewayError =>
  new GatewayError(
    "sign_in_failed",
    `This ${identityProviders[provider].title} account was unlinked from the account of its address; sign in another way, and link it again on the account page.`,
    {},
    `${provider}-${reason}`,
  );

export const missIdentity = (provider: IdentityProvider, reason: string): GatewayError =>
  new GatewayError(
    "service_unavailable",
    `${identityProviders[provider].title} could not be asked who you are; try again in a minute, or sign in another way.`,
    {},
    `${provider}-${reason}`,
  );
