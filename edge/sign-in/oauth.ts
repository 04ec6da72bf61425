/** OAuth 2 with PKCE (RFC 6749, 7636): the URL that asks for a code, the exchange of the code, and reading a provider's JSON. */
import { z } from "zod";
import { GatewayError } from "../../shared/errors.ts";
import type { IdentityProvider } from "../../shared/identity-providers.ts";
import { challengeOf } from "./attempt.ts";
import {
  type AuthorizationCallback,
  type AuthorizationRequest,
  refuseIdentity,
  unreachableIdentity,
} from "./identity.ts";

/** Longest wait for a provider's answer. */
export const timeoutMs = 10_000;

const TokenAnswer = z.object({ access_token: z.string().min(1), id_token: z.string().optional() });

export async function buildCodeAddress(
  endpoint: string,
  { settings, attempt, redirectUri }: AuthorizationRequest,
  more: Record<string, string>,
): Promise<URL> {
  const url = new URL(endpoint);
  const parameters = {
    response_type: "code",
    client_id: settings.clientId,
    redirect_uri: redirectUri,
    state: attempt.state,
    code_challenge: await challengeOf(attempt.verifier),
    code_challenge_method: "S256",
    ...more,
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return url;
}

type Asked = { provider: IdentityProvider; send: typeof fetch };

/**
 * A provider's status, and its body as JSON; `body` is undefined if it is not JSON. Throws service_unavailable for 5xx, 429 and no answer.
 */
export async function readJson(
  { provider, send }: Asked,
  url: string,
  init: RequestInit,
): Promise<{ status: number; body: unknown }> {
  try {
    const response = await send(url, { ...init, redirect: "manual", signal: AbortSignal.timeout(timeoutMs) });
    if (response.status >= 500 || response.status === 429) {
      await response.body?.cancel();
      throw unreachableIdentity(provider, `status-${response.status}`);
    }
    return { status: response.status, body: await response.json().catch(() => undefined) };
  } catch (error) {
    if (error instanceof GatewayError) throw error;
    throw unreachableIdentity(provider, "unreachable");
  }
}

/** Exchanges a code, which works once. Throws sign_in_failed if the provider refuses it. */
export async function exchangeCode(
  asked: Asked,
  endpoint: string,
  { settings, attempt, redirectUri, answer }: AuthorizationCallback,
): Promise<z.infer<typeof TokenAnswer>> {
  const { body } = await readJson(asked, endpoint, {
    method: "POST",
    headers: { accept: "application/json", "user-agent": "svc" },
    body: new URLSearchParams({
      grant_type: "authorization_code",
      code: answer,
      redirect_uri: redirectUri,
      client_id: settings.clientId,
      client_secret: settings.secret,
      code_verifier: attempt.verifier,
    }),
  });
  // GitHub refuses with 200 and an error in the body.
  const parsed = TokenAnswer.safeParse(body);
  if (!parsed.success) throw refuseIdentity(asked.provider, "code-refused");
  return parsed.data;
}
