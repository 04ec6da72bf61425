/** Moves the focus, when a button is about to be removed, to the heading of its section, or to the page's content. */
import { focusMain } from "../router.ts";

export function focusHeading(button: HTMLElement): void {
  const heading = button.closest("section:has(h2)")?.querySelector("h2");
  if (!heading) {
    focusMain();
    return;
  }
  heading.tabIndex = -1;
  heading.focus({ preventScroll: true });
}
