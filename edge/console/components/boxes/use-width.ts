/** A hook for an element's width, which is measured again whenever it changes. */
import type { RefObject } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";

/** @returns what to hand to the element, and its width in CSS pixels; undefined before it is first laid out */
export function useWidth<Box extends Element>(): [RefObject<Box | null>, number | undefined] {
  const box = useRef<Box>(null);
  const [width, setWidth] = useState<number | undefined>();
  useLayoutEffect(() => {
    const measured = box.current;
    if (measured === null) return;
    const measure = () => setWidth(measured.clientWidth);
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(measured);
    return () => observer.disconnect();
  }, []);
  return [box, width];
}
