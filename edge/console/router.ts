/** Which page is shown: the address bar's path. Pages other than ours (/docs) are ordinary links. */
import { createStore } from "./store.ts";

export const path = createStore(location.pathname);

addEventListener("popstate", () => path.set(location.pathname));

/** Shows another page of the console without loading the document again, so that a pasted key stays in memory. */
export function navigate(to: string): void {
  history.pushState(null, "", to);
  path.set(location.pathname);
  scrollTo(0, 0);
  // The link that was followed may be gone. A screen reader begins with the new page.
  document.getElementById("main")?.focus({ preventScroll: true });
}

/** For a link's click; ignores clicks that open a new tab or window. */
export function followLink(event: MouseEvent): void {
  const { button, metaKey, ctrlKey, shiftKey, altKey, currentTarget } = event;
  if (button !== 0 || metaKey || ctrlKey || shiftKey || altKey) return;
  event.preventDefault();
  navigate((currentTarget as HTMLAnchorElement).pathname);
}
