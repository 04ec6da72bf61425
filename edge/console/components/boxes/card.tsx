/** A section of a page: a box with a heading, which names it, and controls beside the heading. */
import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";

type CardProps = { title: string; controls?: ComponentChildren; children: ComponentChildren };

export function Card({ title, controls, children }: CardProps) {
  const id = useId();
  const heading = <h2 id={id}>{title}</h2>;
  return (
    <section class="card" aria-labelledby={id}>
      {controls === undefined ? (
        heading
      ) : (
        <div class="section-head">
          {heading}
          {controls}
        </div>
      )}
      {children}
    </section>
  );
}
