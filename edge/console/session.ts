/**
 * The caller of this page. A pasted API key is kept in memory, and in sessionStorage (until the tab closes) only if the user asks
 * for it; never in localStorage, a cookie or a URL. Scripts cannot read a session's cookie: only the fact that there is a session
 * is kept here.
 */
import { createStore } from "./store.ts";

const slot = "svc-key";

export type Caller = { kind: "key"; key: string } | { kind: "session"; operator: boolean };

function readKept(): Caller | undefined {
  try {
    const key = sessionStorage.getItem(slot);
    return key === null ? undefined : { kind: "key", key };
  } catch {
    return undefined;
  }
}

/** Undefined: nobody has signed in. */
export const caller = createStore<Caller | undefined>(readKept());

export function pasteKey(key: string, keepForTab: boolean): void {
  if (keepForTab) {
    try {
      sessionStorage.setItem(slot, key);
    } catch {
      // Storage is switched off: the key lasts as long as the page.
    }
  }
  caller.set({ kind: "key", key });
}

export function forgetCaller(): void {
  try {
    sessionStorage.removeItem(slot);
  } catch {
    // Storage is switched off: no key was kept.
  }
  caller.set(undefined);
}

export const signInFirst = "Sign in or paste an API key first.";
