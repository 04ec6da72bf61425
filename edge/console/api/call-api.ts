/**
 * One call of our own API: with the pasted key, or in a session with its cookie or a token of the page. A refusal is returned as
 * a value with the API's sentence, never thrown.
 */
import { caller, signInFirst } from "../session.ts";
import { forgetToken, PageToken, takeToken, tokenPaths, tokenRequest } from "./page-token.ts";
import { readError, unreachable } from "./read-error.ts";
import { hasSessionEnded, sessionOver } from "./watch-session.ts";

export type Refusal = { ok: false; status: number; message: string; requestId?: string };
export type Result<Value> = { ok: true; value: Value; headers: Headers } | Refusal;

export type Call = {
  method?: "GET" | "POST" | "PATCH" | "DELETE";
  /** Sent as JSON. */
  body?: unknown;
  headers?: Record<string, string>;
  signal?: AbortSignal;
};

/** Reads an answer's body. Only this method of a zod schema is used. */
export type Reader<Value> = {
  safeParse(body: unknown): { success: true; data: Value } | { success: false };
};

/** The value of `Authorization`; undefined if nobody has signed in, or the session's cookie is enough. */
async function authorize(path: string): Promise<{ ok: true; value: string | undefined } | Refusal> {
  const who = caller.get();
  if (who?.kind === "key") return { ok: true, value: `Bearer ${who.key}` };
  if (who === undefined || !tokenPaths.includes(path)) return { ok: true, value: undefined };
  const taken = await takeToken(() =>
    callApi("/v1/account/tokens", PageToken, { method: "POST", body: tokenRequest }),
  );
  return taken.ok ? { ok: true, value: `Bearer ${taken.value.token}` } : taken;
}

/** Resolves with the open response, for streams. */
export async function openApi(path: string, call: Call = {}): Promise<Result<Response>> {
  const { method = "GET", body, headers = {}, signal } = call;
  const authorized = await authorize(path);
  if (!authorized.ok) return authorized;
  try {
    const response = await fetch(path, {
      method,
      headers: {
        ...(authorized.value !== undefined && { authorization: authorized.value }),
        ...(body !== undefined && { "content-type": "application/json" }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(signal && { signal }),
      cache: "no-store",
    });
    if (response.ok) return { ok: true, value: response, headers: response.headers };
    const requestId = response.headers.get("x-request-id");
    const message = await readRefusal(path, response);
    return { ok: false, status: response.status, message, ...(requestId && { requestId }) };
  } catch {
    return { ok: false, status: 0, message: unreachable };
  }
}

/** Paths that need no sign-in. */
const openPaths = /^\/v1\/account\/(sign-in|session)$/;

/**
 * The API's sentence. If nobody is signed in, or no longer, a sentence of our own: the API's would be about headers. A 401 also drops
 * the page's token, so that the next request asks for a new one.
 */
async function readRefusal(path: string, response: Response): Promise<string> {
  const { status } = response;
  const message = readError(status, await readBody(response));
  if (status !== 401) return message;
  forgetToken();
  const who = caller.get();
  if (who === undefined) return openPaths.test(path) ? message : signInFirst;
  return who.kind === "session" && (await hasSessionEnded()) ? sessionOver : message;
}

/** The answer's JSON, read by a schema. */
export async function callApi<Value>(
  path: string,
  schema: Reader<Value>,
  call: Call = {},
): Promise<Result<Value>> {
  const opened = await openApi(path, call);
  if (!opened.ok) return opened;
  const read = schema.safeParse(await readBody(opened.value));
  if (read.success) return { ok: true, value: read.data, headers: opened.headers };
  return { ok: false, status: 0, message: "The service's answer is not one that this page can read." };
}

/** The body as JSON; as text if it is no JSON. */
async function readBody(response: Response): Promise<unknown> {
  const text = await response.text().catch(() => "");
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
