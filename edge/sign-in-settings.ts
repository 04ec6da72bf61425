/**
 * Which ways to sign in are set up, and with what credit an account begins, from the operator's variables. edge/env.ts reads the
 * schema's rows with its own.
 */
import { z } from "zod";
import { toMicro } from "../shared/credits.ts";
import {
  type IdentityProvider,
  type IdentityVariable,
  identityProviderNames,
  identityProviders,
} from "../shared/identity-providers.ts";

/** How codes are sent: by a mail provider's HTTP API, or, for a service on one's own machine, to its log. */
export type Mail = { kind: "log" } | { kind: "api"; url: string; key: string; from: string };

/** This service's credentials at an identity provider. */
export type IdentitySettings = {
  clientId: string;
  secret: string;
  /** Replaces the provider's public addresses. */
  baseUrl: string | undefined;
};

export type SignInSettings = {
  /** Undefined: nobody signs in by e-mail. */
  mail: Mail | undefined;
  /** Only those whose secrets are set. */
  identities: Partial<Record<IdentityProvider, IdentitySettings>>;
  /** Credit of an account that signs itself up. */
  signUpCreditMicro: number;
};

const text = z.string().optional();

const resendUrl = "https://api.resend.com/emails";

/** @param ServiceUrl reads a URL that secrets may be sent to, HeaderSecret one that is sent in a header */
export const signInVariables = (
  ServiceUrl: z.ZodType<string>,
  HeaderSecret: z.ZodType<string | undefined>,
) => ({
  MAIL_API_URL: z
    .union([z.literal("log"), ServiceUrl], { error: "must be the address of an HTTP API, or log" })
    .optional(),
  MAIL_API_KEY: HeaderSecret,
  MAIL_FROM: z
    .string()
    .regex(/^[^<>\r\n]*<?[^\s<>@]+@[^\s<>@]+>?$/, "must be an address, or Name <address>")
    .optional(),
  GITHUB_CLIENT_ID: text,
  GITHUB_CLIENT_SECRET: text,
  GITHUB_SIGN_IN_URL: ServiceUrl.optional(),
  GOOGLE_CLIENT_ID: text,
  GOOGLE_CLIENT_SECRET: text,
  GOOGLE_SIGN_IN_URL: ServiceUrl.optional(),
  TELEGRAM_BOT_TOKEN: z
    .string()
    .regex(/^\d{1,20}:[\w-]{20,}$/, "must be a bot's whole token, with its id before the colon")
    .optional(),
  TELEGRAM_SIGN_IN_URL: ServiceUrl.optional(),
  SIGN_UP_CREDITS: z
    .string()
    .regex(/^\d{1,6}(\.\d{1,6})?$/, "must be credits from 0 to 999999, with at most 6 decimals")
    .default("0")
    .transform((credits) => toMicro(Number(credits))),
});

type Variables = z.infer<z.ZodObject<ReturnType<typeof signInVariables>>>;
const together = (one: string, other: string) => `${one} and ${other} go together`;
const mailTogether = `${together("MAIL_API_KEY", "MAIL_FROM")}, and MAIL_API_URL is used only with both`;

function readMail({ MAIL_API_URL, MAIL_API_KEY: key, MAIL_FROM: from }: Variables): Mail | undefined {
  const url = MAIL_API_URL ?? resendUrl;
  if (key !== undefined && from !== undefined && url !== "log") return { kind: "api", url, key, from };
  return url === "log" ? { kind: "log" } : undefined;
}

function readIdentity(name: IdentityProvider, variables: Variables): IdentitySettings | undefined {
  const names = identityProviders[name];
  const read = (variable: IdentityVariable | undefined) => variable && variables[variable];
  const secret = read(names.secret);
  const clientId = names.clientId === undefined ? secret?.split(":")[0] : read(names.clientId);
  return secret === undefined || clientId === undefined
    ? undefined
    : { clientId, secret, baseUrl: read(names.url) };
}

/** The settings, and what is wrong with them, by variable names only. */
export function readSignInSettings(variables: Variables): SignInSettings & { problems: string[] } {
  const { MAIL_API_URL: mailUrl, MAIL_API_KEY: mailKey, MAIL_FROM: mailFrom } = variables;
  const isLogged = mailUrl === "log";
  const isMailed = mailKey !== undefined && mailFrom !== undefined && !isLogged;
  const saysMail = mailKey !== undefined || mailFrom !== undefined || (mailUrl !== undefined && !isLogged);
  const halves = identityProviderNames.flatMap((name) => {
    const { clientId, secret } = identityProviders[name];
    if (clientId === undefined) return [];
    const isHalf = (variables[clientId] === undefined) !== (variables[secret] === undefined);
    return isHalf ? [together(clientId, secret)] : [];
  });
  const identities: SignInSettings["identities"] = {};
  for (const name of identityProviderNames) {
    const settings = readIdentity(name, variables);
    if (settings !== undefined) identities[name] = settings;
  }
  return {
    mail: readMail(variables),
    identities,
    signUpCreditMicro: variables.SIGN_UP_CREDITS,
    problems: [...(saysMail && !isMailed ? [mailTogether] : []), ...halves],
  };
}
