/** Signing in with Google: OpenID Connect, where a signed id_token says who signed in, for which service, and for which attempt. */
import { createRemoteJWKSet, customFetch, errors, type JWTPayload, jwtVerify } from "jose";
import { z } from "zod";
import { readEmailAddress } from "./email-address.ts";
import {
  type AuthorizationCallback,
  type IdentityDeps,
  type IdentityRow,
  refuseIdentity,
  unreachableIdentity,
} from "./identity.ts";
import { buildCodeAddress, exchangeCode, timeoutMs } from "./oauth.ts";

const provider = "google";
const publicAddresses = {
  authorize: "https://accounts.google.com/o/oauth2/v2/auth",
  token: "https://oauth2.googleapis.com/token",
  keys: "https://www.googleapis.com/oauth2/v3/certs",
  issuers: ["https://accounts.google.com", "accounts.google.com"],
};

const addressesOf = (baseUrl: string | undefined) =>
  baseUrl === undefined
    ? publicAddresses
    : {
        authorize: `${baseUrl}/o/oauth2/v2/auth`,
        token: `${baseUrl}/token`,
        keys: `${baseUrl}/oauth2/v3/certs`,
        issuers: [baseUrl],
      };

const Claims = z.object({
  sub: z.string().min(1).max(255),
  nonce: z.string(),
  azp: z.string().optional(),
  email: z.string().optional(),
  email_verified: z.boolean().optional(),
});

/** Checks signature, issuer, audience and times. Signing in is rare, so Google's keys are read each time and are never outdated. */
async function verifyToken(
  idToken: string,
  { settings }: AuthorizationCallback,
  { fetch: send, now }: IdentityDeps,
): Promise<JWTPayload> {
  const { keys, issuers } = addressesOf(settings.baseUrl);
  const keySet = createRemoteJWKSet(new URL(keys), { [customFetch]: send, timeoutDuration: timeoutMs });
  try {
    const { payload } = await jwtVerify(idToken, keySet, {
      issuer: issuers,
      audience: settings.clientId,
      algorithms: ["RS256"],
      requiredClaims: ["exp", "iat", "sub", "nonce"],
      clockTolerance: 30,
      currentDate: new Date(now()),
    });
    return payload;
  } catch (error) {
    const { code = "ERR_JOSE_GENERIC" } = error as Partial<errors.JOSEError>;
    const keysMissed = code === "ERR_JOSE_GENERIC" || error instanceof errors.JWKSTimeout;
    throw keysMissed ? unreachableIdentity(provider, "keys-unreachable") : refuseIdentity(provider, code);
  }
}

export const google: IdentityRow = {
  buildAddress: (authorization) =>
    buildCodeAddress(addressesOf(authorization.settings.baseUrl).authorize, authorization, {
      scope: "openid email",
      nonce: authorization.attempt.nonce,
      // People with several accounts choose one, even if they are already signed in.
      prompt: "select_account",
    }),

  async identify(callback, deps) {
    const { settings, attempt, answer } = callback;
    const asked = { provider, send: deps.fetch } as const;
    const { id_token: idToken } = await exchangeCode(asked, addressesOf(settings.baseUrl).token, callback);
    if (idToken === undefined) throw refuseIdentity(provider, "no-id-token");
    const claims = Claims.safeParse(await verifyToken(idToken, callback, deps));
    if (!claims.success) throw refuseIdentity(provider, "claims");
    const { sub, nonce, azp, email, email_verified: verified } = claims.data;
    if (nonce !== attempt.nonce) throw refuseIdentity(provider, "nonce");
    if (azp !== undefined && azp !== settings.clientId) throw refuseIdentity(provider, "azp");
    return {
      subject: sub,
      email: verified === true && email !== undefined ? readEmailAddress(email) : undefined,
      proof: answer,
    };
  },
};
