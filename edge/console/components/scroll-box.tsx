/** A box for content that may be wider than the page: it scrolls, and can be focused by keyboard only while it does. */
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useState } from "preact/hooks";
import { useWidth } from "./use-width.ts";

type ScrollBoxProps = { label: string; name?: string; children: ComponentChildren };

/** `name`: its class. */
export function ScrollBox({ label, name = "scroll-x", children }: ScrollBoxProps) {
  // Draws again at each new width, so the check is repeated.
  const [box] = useWidth<HTMLElement>();
  const [scrolls, setScrolls] = useState(false);
  useLayoutEffect(() => {
    const { scrollWidth = 0, clientWidth = 0 } = box.current ?? {};
    setScrolls(scrollWidth > clientWidth);
  });
  return (
    <section ref={box} class={name} aria-label={label} tabIndex={scrolls ? 0 : undefined}>
      {children}
    </section>
  );
}
