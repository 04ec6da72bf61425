/** A hook for a form whose fields are disabled while its answer is awaited, with which the browser takes the focus away: gives it back. */
import { useLayoutEffect, useRef } from "preact/hooks";

export function useKeptFocus(busy: boolean): void {
  const had = useRef<Element | null>(null);
  // Read before the fields are disabled.
  if (busy) had.current ??= document.activeElement;
  useLayoutEffect(() => {
    if (busy) return;
    // Unless the reader has gone elsewhere meanwhile.
    if (had.current instanceof HTMLElement && document.activeElement === document.body) had.current.focus();
    had.current = null;
  }, [busy]);
}
