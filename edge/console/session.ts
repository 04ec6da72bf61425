/**
 * Who calls: the API key pasted into the page. It lies in memory; in sessionStorage only if asked for, which ends with
 * the tab. Never in localStorage, a cookie or an address.
 */
import { createStore } from "./store.ts";

const slot = "svc-key";

function readKept(): string | undefined {
  try {
    return sessionStorage.getItem(slot) ?? undefined;
  } catch {
    return undefined;
  }
}

/** Undefined: nobody has signed in. */
export const apiKey = createStore<string | undefined>(readKept());

export function signIn(key: string, keepForTab: boolean): void {
  if (keepForTab) {
    try {
      sessionStorage.setItem(slot, key);
    } catch {
      // Storage is switched off: the key lasts as long as the page.
    }
  }
  apiKey.set(key);
}

export function signOut(): void {
  try {
    sessionStorage.removeItem(slot);
  } catch {
    // Nothing was kept.
  }
  apiKey.set(undefined);
}
