/**
 * The identity providers with which people may sign in: their names, their titles on pages, and the variables of each. How each
 * is called is a row in edge/sign-in/identity-providers.ts.
 */

export const identityProviders = {
  github: {
    title: "GitHub",
    clientId: "GITHUB_CLIENT_ID",
    secret: "GITHUB_CLIENT_SECRET",
    url: "GITHUB_SIGN_IN_URL",
  },
  google: {
    title: "Google",
    clientId: "GOOGLE_CLIENT_ID",
    secret: "GOOGLE_CLIENT_SECRET",
    url: "GOOGLE_SIGN_IN_URL",
  },
  // A bot's token begins with its id.
  telegram: {
    title: "Telegram",
    clientId: undefined,
    secret: "TELEGRAM_BOT_TOKEN",
    url: "TELEGRAM_SIGN_IN_URL",
  },
} as const;

export type IdentityProvider = keyof typeof identityProviders;
export const identityProviderNames = Object.keys(identityProviders) as IdentityProvider[];

/** Whether a name from a request is an identity provider's. */
export const isIdentityProvider = (name: string): name is IdentityProvider =>
  Object.hasOwn(identityProviders, name);

/**
 * Prefix of the OAuth `state` of an attempt to link an identity. It tells the page that the answer links an identity and does not
 * begin a session.
 */
export const linkingState = "link.";

type Row = (typeof identityProviders)[IdentityProvider];
export type IdentityVariable = Exclude<Row["clientId"] | Row["secret"] | Row["url"], undefined>;
export const identityVariables: readonly IdentityVariable[] = Object.values(identityProviders).flatMap(
  ({ clientId, secret, url }) => (clientId === undefined ? [secret, url] : [clientId, secret, url]),
);
