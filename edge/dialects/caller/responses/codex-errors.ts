/**
 * Errors of /v1/responses have OpenAI's layout; only Codex gets some of them with another status. Codex retries after any status
 * but 400, up to 30 times in half a minute, does not read `x-should-retry`, and shows a refusal only when it gives up. So it gets
 * 400 for a refusal that a retry cannot change, with the same body as other clients. Exception: it first asks for a WebSocket (as
 * its own provider `openai`), and only after 426 does it go on over HTTP.
 */
import { errorTable, type GatewayError } from "../../../../shared/errors.ts";

/**
 * Whether the error is sent as a stream event. If the input does not fit the model, Codex shortens the conversation only after
 * such an event, as OpenAI sends it; after an HTTP status it sends the same input again and again.
 */
export const toldInStream = ({ code }: GatewayError, headers: Headers): boolean =>
  code === "context_length_exceeded" && isCodex(headers);

/** Codex's programs send `codex_exec/…`, `codex-tui/…` or `codex_vscode/…` as their `user-agent`. */
export const isCodex = (headers: Headers): boolean => /^codex[-_]/i.test(headers.get("user-agent") ?? "");

export const statusForCodex = ({ code, status }: GatewayError): number =>
  errorTable[code].retryable || code === "websocket_not_served" ? status : 400;
