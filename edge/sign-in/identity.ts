/** The types of a request to an identity provider and of its answer, shared by the providers' files and the routes. */
import { GatewayError } from "../../shared/errors.ts";
import { type IdentityProvider, identityProviders } from "../../shared/identity-providers.ts";
import type { IdentitySettings } from "../sign-in-settings.ts";
import type { Attempt } from "./attempt.ts";

/** A person, as a provider identifies them. */
export type Identity = {
  /** The provider's own id of the person, which stays when name or address change. */
  subject: string;
  /** The address in the form accounts are found by; undefined unless the provider says that it has verified it. */
  email: string | undefined;
  /** The provider's proof for this one sign-in, which counts once. */
  proof: string;
};

export type AuthorizationRequest = {
  settings: IdentitySettings;
  attempt: Attempt;
  /** This service's own page, to which the provider sends the browser back. */
  redirectUri: string;
};

export type AuthorizationCallback = AuthorizationRequest & {
  /** An authorization code, or Telegram's signed fields. */
  answer: string;
};

export type IdentityDeps = { fetch: typeof fetch; now: () => number };

/** How to communicate with one provider. */
export type IdentityRow = {
  /** The provider's page to which the browser is sent. */
  buildAddress: (authorization: AuthorizationRequest) => Promise<URL>;
  /** The person who signed in. Throws sign_in_failed, service_unavailable. */
  identify: (callback: AuthorizationCallback, deps: IdentityDeps) => Promise<Identity>;
};

/** @param reason for the log: a tag of ours, never the provider's words */
export const refuseIdentity = (provider: IdentityProvider, reason: string): GatewayError =>
  new GatewayError(
    "sign_in_failed",
    `Signing in with ${identityProviders[provider].title} did not work out or took too long; begin again.`,
    {},
    `${provider}-${reason}`,
  );

/** The error for an identity that was unlinked from the account of its address, and would join it again. */
export const refuseUnlinked = (provider: IdentityProvider, reason: string): GatewayError =>
  new GatewayError(
    "sign_in_failed",
    `This ${identityProviders[provider].title} account was unlinked from the account of its address; sign in another way, and link it again on the account page.`,
    {},
    `${provider}-${reason}`,
  );

export const unreachableIdentity = (provider: IdentityProvider, reason: string): GatewayError =>
  new GatewayError(
    "service_unavailable",
    `${identityProviders[provider].title} could not be asked who you are; try again in a minute, or sign in another way.`,
    {},
    `${provider}-${reason}`,
  );
