/** Tables that may be wider than the page, in a box that scrolls and can be reached by keyboard. */
import type { ComponentChildren } from "preact";

export function ScrollBox({ label, children }: { label: string; children: ComponentChildren }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls has to be reachable by keyboard
    <section class="scroll-x" tabIndex={0} aria-label={label}>
      {children}
    </section>
  );
}

/** `kind`: the style of the cells. `children`: the rows. */
type DataTableProps = {
  label: string;
  kind: "numbers" | "keys";
  columns: readonly string[];
  children: ComponentChildren;
};

export function DataTable({ label, kind, columns, children }: DataTableProps) {
  return (
    <ScrollBox label={label}>
      <table class={kind}>
        <thead>
          <tr>
            {columns.map((name) => (
              <th scope="col" key={name}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </ScrollBox>
  );
}
