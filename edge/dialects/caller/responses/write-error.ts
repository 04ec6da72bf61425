/**
 * Errors of /v1/responses have OpenAI's layout; Codex alone is told some of them by another status. It tells its user of a refusal
 * only when it gives up: it sends a request again after any status but 400, up to 30 times in half a minute, and does not read
 * `x-should-retry`. So a refusal that will not get better is 400 to it; the body, with its type and code, is the same as for
 * others. A WebSocket, which it asks for first as its own provider `openai`, is refused by its true status: 426 alone makes it go
 * on over HTTP.
 */
import { errorTable, type GatewayError } from "../../../../shared/errors.ts";

/**
 * Of an input that its model has no room for Codex believes an event alone, as OpenAI sends it in a stream: it then shortens the
 * conversation before its next turn. After a status it sends the same conversation again and again.
 */
export const toldInStream = ({ code }: GatewayError, headers: Headers): boolean =>
  code === "context_length_exceeded" && isCodex(headers);

/** Its programs call themselves `codex_exec/…`, `codex-tui/…`, `codex_vscode/…`. */
export const isCodex = (headers: Headers): boolean => /^codex[-_]/i.test(headers.get("user-agent") ?? "");

export const statusForCodex = ({ code, status }: GatewayError): number =>
  errorTable[code].retryable || code === "websocket_not_served" ? status : 400;
