/**
 * Who calls. An API key pasted into the page lies in memory; in sessionStorage only if asked for, which ends with the tab;
 * never in localStorage, a cookie or an address. A session's cookie is out of this page's reach: here is only that there is one.
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
    // Nothing was kept.
  }
  caller.set(undefined);
}

export const signInFirst = "Sign in or paste an API key first.";
