/** One cheap authenticated GET that says whether a provider takes a key. The key travels as in any call. */
import type { ProviderKind } from "../../shared/providers.ts";
import { providers } from "./registry.ts";

/** `unclear`: unreachable, too slow, or an answer that says nothing about the key. */
export type KeyVerdict = { verdict: "valid" | "rejected" | "unclear"; status: number | undefined };

export type KeyCheckContext = { fetch: typeof fetch; baseUrl: string; timeoutMs: number };

/** Never throws. */
export async function checkKey(
  kind: ProviderKind,
  key: string,
  context: KeyCheckContext,
): Promise<KeyVerdict> {
  const { authHeaders, keyCheck } = providers[kind];
  try {
    const response = await context.fetch(`${context.baseUrl}${keyCheck.path}`, {
      headers: { accept: "application/json", ...keyCheck.headers, ...authHeaders(key) },
      // A redirect would carry the key to another host.
      redirect: "manual",
      signal: AbortSignal.timeout(context.timeoutMs),
    });
    await response.body?.cancel();
    const { status, ok } = response;
    if (ok) return { verdict: "valid", status };
    return { verdict: keyCheck.rejections.includes(status) ? "rejected" : "unclear", status };
  } catch {
    return { verdict: "unclear", status: undefined };
  }
}
