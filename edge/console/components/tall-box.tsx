/** A box for a text that may be taller than the box: it scrolls, and can be focused by keyboard only while it does. */
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";

type TallBoxProps = { label: string; class: string; children: ComponentChildren };

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
