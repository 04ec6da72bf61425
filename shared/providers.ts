/** The provider kinds of the interface, and the variables and headers that are named after them. */

export const providerKinds = ["alpha", "beta", "gamma", "router"] as const;
export type ProviderKind = (typeof providerKinds)[number];

/** Whose key a provider is called with: the caller's own, sent or stored, or the operator's (the pool). */
export type KeySource = "user" | "pool";

export type BaseUrlVariable = `${Uppercase<ProviderKind>}_BASE_URL`;

/** The variable that replaces a provider's base URL, such as ALPHA_BASE_URL. */
export const baseUrlVariable = (kind: ProviderKind): BaseUrlVariable =>
  `${kind.toUpperCase()}_BASE_URL` as BaseUrlVariable;
export const baseUrlVariables: readonly BaseUrlVariable[] = providerKinds.map(baseUrlVariable);

/** The request headers of a caller's own keys, such as `x-alpha-key`. */
export const inlineKeyHeaders = Object.fromEntries(
  providerKinds.map((kind) => [kind, `x-${kind}-key`]),
) as Readonly<Record<ProviderKind, string>>;
