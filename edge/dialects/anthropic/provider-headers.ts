/** Request headers of this dialect that only its own provider understands. */

/** What every request of ours says by itself. */
export const messagesVersion = "2023-06-01";

/** `anthropic-beta`, and `anthropic-version` where it is another than ours. */
export function readProviderHeaders(headers: Headers): Record<string, string> {
  const beta = headers.get("anthropic-beta");
  const version = headers.get("anthropic-version");
  return {
    ...(beta !== null && beta !== "" && { "anthropic-beta": beta }),
    ...(version !== null && version !== messagesVersion && { "anthropic-version": version }),
  };
}
