/** One call of our own API: with the pasted key, or in a session with its cookie or a token of the page. A refusal is a value with the API's sentence, never an exception. */
import { caller, signInFirst } from "../session.ts";
import { forgetToken, PageToken, takeToken, tokenPaths, tokenRequest } from "./page-token.ts";
import { readError, unreachable } from "./read-error.ts";
import { hasSessionEnded, sessionOver } from "./watch-session.ts";

export type Refusal = { ok: false; status: number; message: string };
export type Result<Value> = { ok: true; value: Value; headers: Headers } | Refusal;

export type Call = {
  method?: "GET" | "POST" | "PATCH" | "DELETE";
  /** Sent as JSON. */
  body?: unknown;
  headers?: Record<string, string>;
  signal?: AbortSignal;
};

/** What reads an answer's body: a zod schema, and nothing of it but this. */
export type Reader<Value> = {
  safeParse(body: unknown): { success: true; data: Value } | { success: false };
};

/** What goes into `Authorization`; nothing where nobody has signed in, or the cookie speaks. */
async function authorize(path: string): Promise<{ ok: true; value: string | undefined } | Refusal> {
  const who = caller.get();
  if (who?.kind === "key") return { ok: true, value: `Bearer ${who.key}` };
  if (who === undefined || !tokenPaths.includes(path)) return { ok: true, value: undefined };
  const taken = await takeToken(() =>
    callApi("/v1/account/tokens", PageToken, { method: "POST", body: tokenRequest }),
  );
  return taken.ok ? { ok: true, value: `Bearer ${taken.value.token}` } : taken;
}

/** The open response, for streams. */
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
    return { ok: false, status: response.status, message: await readRefusal(path, response) };
  } catch {
    return { ok: false, status: 0, message: unreachable };
  }
}

/** What nobody has to be signed in for. */
const openPaths = /^\/v1\/account\/(sign-in|session)$/;

/** The API's sentence; or that nobody is signed in, or no longer: the API would speak of headers. */
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

/** JSON where it is, else the text. */
async function readBody(response: Response): Promise<unknown> {
  const text = await response.text().catch(() => "");
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
