/** Signing in and out, and whether this browser is signed in: asked when the page opens, and when another tab signs in or out. */
import * as z from "zod/mini";
import type { IdentityProvider } from "../../../shared/identity-providers.ts";
import { caller, forgetCaller } from "../session.ts";
import { createStore } from "../store.ts";
import { callApi, type Refusal, type Result } from "./call-api.ts";
import { hasSessionEnded, sessionEnded } from "./watch-session.ts";

const SessionAnswer = z.object({
  signed_in: z.boolean(),
  methods: z.array(z.string()),
  codes: z.optional(z.enum(["mail", "log"])),
  operator: z.optional(z.boolean()),
});
const Begun = z.object({ email: z.string(), operator: z.boolean() });
const CodeSent = z.object({ id: z.string(), expires_at: z.string() });
export const ProviderRedirect = z.object({ url: z.string() });
const Done = z.object({ success: z.boolean() });

/** Undefined until the service has answered. */
export const signInMethods = createStore<readonly string[] | undefined>(undefined);

/** True if codes are not sent by mail but printed in the service's log. */
export const codesGoToLog = createStore(false);

/** The state of `askSession`: its answer is pending or has arrived, or why it was refused. */
export const sessionAnswer = createStore<"pending" | "arrived" | Refusal>("pending");

/** Asks whether this browser is signed in, and which ways to sign in there are. */
export async function askSession(): Promise<void> {
  const answer = await callApi("/v1/account/session", SessionAnswer);
  if (answer.ok) {
    signInMethods.set(answer.value.methods);
    codesGoToLog.set(answer.value.codes === "log");
    // A pasted key takes precedence.
    if (caller.get()?.kind !== "key" && answer.value.signed_in)
      caller.set({ kind: "session", operator: answer.value.operator === true });
  }
  sessionAnswer.set(answer.ok ? "arrived" : answer);
}
/** Resolves with the first answer. */
export const asked = askSession();

const signedOut = "signed out";
/** All tabs share one cookie. Without this another tab would show one account and, with the cookie, act on the next one. */
const otherTabs = openChannel("svc-session");
if (otherTabs !== undefined)
  otherTabs.onmessage = async ({ data }) => {
    // This tab may have noticed the end before it is told of it.
    const isOfSession = caller.get()?.kind === "session" || sessionEnded.get();
    if (!(await hasSessionEnded())) await askSession();
    // Loads the page anew, as the tab that signed out does. A tab with a pasted key is not concerned.
    else if (data === signedOut && isOfSession) location.reload();
  };

/** Undefined in a browser that may store nothing: Firefox then throws. It keeps no cookie that tabs could share either. */
function openChannel(name: string): BroadcastChannel | undefined {
  try {
    return new BroadcastChannel(name);
  } catch {
    return undefined;
  }
}

const path = "/v1/account/sign-in";

export const askForCode = (email: string) =>
  callApi(`${path}/code`, CodeSent, { method: "POST", body: { email } });

/** The provider's address to which the browser goes; it comes back to /sign-in/PROVIDER. */
export const leaveToSignIn = (provider: IdentityProvider) =>
  callApi(`${path}/${provider}`, ProviderRedirect, { method: "POST" });

export type Proof =
  | { link: string }
  | { id: string; email: string; code: string }
  | { provider: IdentityProvider; state: string; answer: string };

/** The cookie is `Secure`. Other browsers keep such a cookie over http from this machine, too; Safari only over https. */
const noCookie =
  "This browser has not kept the sign-in cookie. Safari keeps it over https only: open this page in Chrome or Firefox, or paste an API key in the playground.";

export async function signIn(proof: Proof): Promise<Result<{ email: string }>> {
  // Waits for the first check of the session: its answer may delete an old cookie, and coming later it would delete the new one.
  await asked;
  const answer = await callApi(path, Begun, { method: "POST", body: proof });
  if (!answer.ok) return answer;
  const kept = await callApi("/v1/account/session", SessionAnswer);
  if (kept.ok && !kept.value.signed_in) return { ok: false, status: 0, message: noCookie };
  forgetCaller();
  caller.set({ kind: "session", operator: answer.value.operator });
  otherTabs?.postMessage("signed in");
  return answer;
}

/**
 * Ends the session and loads the page anew, since forms and answers outlive their pages: the next person at this browser must not see
 * them. Without a session it forgets the key. @returns why the session could not be ended
 */
export async function signOut(): Promise<string | undefined> {
  if (caller.get()?.kind !== "session") {
    forgetCaller();
    return undefined;
  }
  const ended = await callApi("/v1/account/session", Done, { method: "DELETE" });
  if (!ended.ok && ended.status !== 401) return ended.message;
  otherTabs?.postMessage(signedOut);
  location.reload();
  return undefined;
}
