/** A box for what may be wider than the page: it scrolls, and is a stop for the keyboard only while it does. */
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useState } from "preact/hooks";
import { useWidth } from "./use-width.ts";

type ScrollBoxProps = { label: string; name?: string; children: ComponentChildren };

/** `name`: its class. */
export function ScrollBox({ label, name = "scroll-x", children }: ScrollBoxProps) {
  // Each new width draws this again, and so looks again.
  const [box] = useWidth<HTMLElement>();
  const [scrolls, setScrolls] = useState(false);
  useLayoutEffect(() => {
    const { scrollWidth = 0, clientWidth = 0 } = box.current ?? {};
    setScrolls(scrollWidth > clientWidth);
  });
  return (
    <section ref={box} class={name} aria-label={label} {...(scrolls && { tabIndex: 0 })}>
      {children}
    </section>
  );
}
