/** One cheap authenticated GET that says whether a provider takes a key. The key travels as in any call. */
import type { ProviderKind } from "../../shared/providers.ts";
import { providers, withKey } from "./registry.ts";

/** `unclear`: unreachable, too slow, or an answer that says nothing about the key. */
export type KeyVerdict = { verdict: "valid" | "rejected" | "unclear"; status: number | undefined };

export type KeyCheckContext = { fetch: typeof fetch; baseUrl: string; timeoutMs: number };

/** Never throws. */
export async function checkKey(
  kind: ProviderKind,
  key: string,
  context: KeyCheckContext,
): Promise<KeyVerdict> {
  const { keyCheck } = providers[kind];
  try {
    const headers = { accept: "application/json", ...keyCheck.headers };
    const init = withKey(kind, key, { headers, signal: AbortSignal.timeout(context.timeoutMs) });
    const response = await context.fetch(`${context.baseUrl}${keyCheck.path}`, init);
    await response.body?.cancel();
    const { status, ok } = response;
    if (ok) return { verdict: "valid", status };
    return { verdict: keyCheck.rejections.includes(status) ? "rejected" : "unclear", status };
  } catch {
    return { verdict: "unclear", status: undefined };
  }
}
