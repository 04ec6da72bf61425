/** Boxes for what may be wider, or taller, than they are: they scroll, and can be focused by keyboard only while they do. */
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { useWidth } from "./use-width.ts";

type ScrollBoxProps = { label: string; name?: string; children: ComponentChildren };

/** A box that scrolls sideways. `name`: its class. */
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

type TallBoxProps = { label: string; class: string; children: ComponentChildren };

/** A box for a text, which scrolls up and down if the text is taller. */
export function TallBox({ label, class: name, children }: TallBoxProps) {
  const box = useRef<HTMLDivElement>(null);
  const [scrolls, setScrolls] = useState(false);
  useLayoutEffect(() => {
    const { scrollHeight, clientHeight } = box.current!;
    setScrolls(scrollHeight > clientHeight);
  });
  return (
    <div
      ref={box}
      class={name}
      dir="auto"
      {...(scrolls && { role: "group", "aria-label": label, tabIndex: 0 })}
    >
      {children}
    </div>
  );
}
