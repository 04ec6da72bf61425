/**
 * A hook for what is beside a form on a wide screen and below it, out of sight, on a phone: it is brought into view when it changes, not
 * when the page opens. Before the next paint and not smoothly: a scroll that is still in progress when more arrives would end beyond it.
 */
import type { RefObject } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";

export function useScrollIntoView<Box extends Element>(content: unknown): RefObject<Box | null> {
  const box = useRef<Box>(null);
  const before = useRef(content);
  useLayoutEffect(() => {
    if (before.current !== content) box.current?.scrollIntoView({ block: "nearest" });
    before.current = content;
  }, [content]);
  return box;
}
