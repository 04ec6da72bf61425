/** Which page is shown: the address bar's path. Pages other than ours (/docs) are ordinary links. */
import { pageOf } from "../../shared/console-pages.ts";
import { createStore } from "./store.ts";

export const path = createStore(location.pathname);

/** The last page that was left, other than the sign-in page: where to come back to after signing in. */
let previous = "/";
export const previousPath = (): string => previous;

/**
 * Shows the page of the address. Also called when only its fragment changes, as by the link that skips to the content: browsers report
 * that as popstate, too.
 */
function follow(left = path.get()): void {
  if (pageOf(path.get()) !== "/sign-in") previous = left;
  path.set(location.pathname);
}
addEventListener("popstate", () => {
  const before = path.get();
  follow();
  // The element that had the focus was removed with its page.
  if (path.get() !== before) focusMain();
});

/** Shows another page of the console without loading the document again, so that a pasted key stays in memory. */
export function navigate(to: string): void {
  const left = location.pathname + location.hash;
  history.pushState(null, "", to);
  follow(left);
  scrollTo(0, 0);
  // The link that was followed may be gone. A screen reader begins with the new page.
  focusMain();
}

/** Moves the focus to the page's content: for when the element that has it is about to be removed. */
export function focusMain(): void {
  document.getElementById("main")?.focus({ preventScroll: true });
}

/** For a link's click; ignores clicks that open a new tab or window. */
export function followLink(event: MouseEvent): void {
  const { button, metaKey, ctrlKey, shiftKey, altKey, currentTarget } = event;
  if (button !== 0 || metaKey || ctrlKey || shiftKey || altKey) return;
  event.preventDefault();
  const { pathname, hash } = currentTarget as HTMLAnchorElement;
  navigate(pathname + hash);
}
