/** A table in a box that scrolls. In a narrow box its rows are stacked: each cell below its column's name. */
import type { ComponentChildren } from "preact";
import { ScrollBox } from "./scroll-box.tsx";
import { useWidth } from "./use-width.ts";

export type DataRow = {
  key: string;
  /** The row's header cell. */
  head: ComponentChildren;
  /** In the order of the columns after the first. */
  cells: readonly ComponentChildren[];
  /** The row's object is no longer valid. */
  ended?: boolean;
};

type DataTableProps = {
  label: string;
  /** The style of the cells. */
  kind: keyof typeof minWidths;
  columns: readonly string[];
  rows: readonly DataRow[];
};

/** Below this width in pixels a table of the kind is stacked. */
const minWidths = { numbers: 600, keys: 900 };

/** Safari drops a table's semantics when its parts have another CSS `display`; explicit roles keep them. */
const roleOf = (role: "table" | "rowgroup" | "row" | "columnheader" | "rowheader" | "cell") => ({ role });

export function DataTable({ label, kind, columns, rows }: DataTableProps) {
  const [box, width = minWidths[kind]] = useWidth<HTMLDivElement>();
  return (
    <div ref={box}>
      <ScrollBox label={label}>
        <table {...roleOf("table")} class={width < minWidths[kind] ? `${kind} stacked` : kind}>
          <thead {...roleOf("rowgroup")}>
            <tr {...roleOf("row")}>
              {columns.map((name) => (
                <th {...roleOf("columnheader")} scope="col" key={name}>
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody {...roleOf("rowgroup")}>
            {rows.map(({ key, head, cells, ended }) => (
              <tr {...roleOf("row")} key={key} class={ended ? "revoked" : ""}>
                <th {...roleOf("rowheader")} scope="row">
                  {head}
                </th>
                {cells.map((cell, index) => (
                  <td {...roleOf("cell")} key={columns[index + 1]} data-column={columns[index + 1]}>
                    {cell}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollBox>
    </div>
  );
}
