/** The similarity of every pair of lines: one square for each pair, with a stronger colour for more similar ones. */
import { useState } from "preact/hooks";
import { ScrollBox } from "../components/boxes/scroll-box.tsx";
import { useWidth } from "../components/boxes/use-width.ts";
import { findClosest, scaleBetween } from "./similarity.ts";

/**
 * Pixels a side of a square. The squares have half of the width, the lines of text the other half. Where that makes them smaller than
 * `clear`, they take more of it, until `besideWidth` is left.
 */
const cells = { max: 34, clear: 20, min: 16 };
/** Height, in pixels, of the columns' numbers. */
const headHeight = 18;
/** The least width, in pixels, of the lines together with the gap between them and the squares. */
const besideWidth = 122;

/** The row and the column of a square. */
type Place = readonly [number, number];
type SimilarityMapProps = { lines: readonly string[]; cosines: readonly number[][] };

export function SimilarityMap({ lines, cosines }: SimilarityMapProps) {
  const [at, setAt] = useState<Place | undefined>();
  const place = at ?? findClosest(cosines) ?? [0, 0];
  const [row, column] = place;
  const [box, width = Number.POSITIVE_INFINITY] = useWidth<HTMLDivElement>();
  const fitting = (width - besideWidth) / lines.length;
  const side = Math.max(width / 2 / lines.length, Math.min(cells.clear, fitting));
  const cell = Math.floor(Math.min(cells.max, Math.max(cells.min, side)));
  const cosine = cosines[row]?.[column];
  return (
    <div ref={box} class="result">
      <ScrollBox name="map" label="Map">
        <ol class="map-lines" style={{ paddingTop: `${headHeight}px` }}>
          {lines.map((line, index) => (
            <li key={line} style={{ height: `${cell}px` }} class={place.includes(index) ? "on" : ""}>
              <span class="map-number">{index + 1}</span>
              <span class="map-text" dir="auto" title={line}>
                {line}
              </span>
            </li>
          ))}
        </ol>
        <Cells cosines={cosines} cell={cell} place={place} onPoint={setAt} />
      </ScrollBox>
      {cosine !== undefined && lines.length > 1 && (
        <p class="map-words">
          {at === undefined ? "Most alike" : "Pointed at"}: <q dir="auto">{lines[row]}</q> and{" "}
          <q dir="auto">{lines[column]}</q>, cosine <strong class="number">{cosine.toFixed(3)}</strong>
        </p>
      )}
      <p class="hint">A square is a pair of lines: the stronger its colour, the more alike they are.</p>
    </div>
  );
}

type CellsProps = Pick<SimilarityMapProps, "cosines"> & {
  /** Pixels a side. */
  cell: number;
  place: Place;
  onPoint: (place: Place | undefined) => void;
};

function Cells({ cosines, cell, place, onPoint }: CellsProps) {
  const scale = scaleBetween(cosines);
  const side = cosines.length * cell;
  return (
    <svg
      class="map-cells"
      role="img"
      aria-label="Map of similarities; the table below has the numbers"
      width={side}
      height={side + headHeight}
      viewBox={`0 ${-headHeight} ${side} ${side + headHeight}`}
      onPointerLeave={() => onPoint(undefined)}
    >
      {cosines.map((_, column) => (
        <text
          key={column}
          class={column === place[1] ? "map-column on" : "map-column"}
          x={(column + 0.5) * cell}
          y="-5"
        >
          {column + 1}
        </text>
      ))}
      {cosines.flatMap((values, row) =>
        values.map((value, column) => (
          <rect
            key={`${row} ${column}`}
            class={row === place[0] && column === place[1] ? "cell on" : "cell"}
            x={column * cell + 1}
            y={row * cell + 1}
            width={cell - 2}
            height={cell - 2}
            rx="4"
            fill-opacity={row === column ? 1 : 0.06 + 0.94 * scale(value)}
            onPointerEnter={() => onPoint([row, column])}
          />
        )),
      )}
    </svg>
  );
}
