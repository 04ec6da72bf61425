/** The similarity of every pair of lines: one square for each pair, with a stronger colour for more similar ones. */
import { useState } from "preact/hooks";
import { ScrollBox } from "../components/scroll-box.tsx";
import { useWidth } from "../components/use-width.ts";
import { findClosest, scaleBetween } from "./similarity.ts";

/** Pixels a side. */
const cells = { max: 34, min: 16 };
/** Width of the lines' names and the gap beside the squares. */
const besideWidth = 122;

export function SimilarityMap({
  lines,
  cosines,
}: {
  lines: readonly string[];
  cosines: readonly number[][];
}) {
  const [at, setAt] = useState<readonly [number, number] | undefined>(undefined);
  const closest = findClosest(cosines);
  const [row, column] = at ?? closest ?? [0, 0];
  const scale = scaleBetween(cosines);
  const [box, width = Number.POSITIVE_INFINITY] = useWidth<HTMLDivElement>();
  const fitting = Math.floor((width - besideWidth) / lines.length);
  const cell = Math.min(cells.max, Math.max(cells.min, fitting));
  const side = lines.length * cell;
  const cosine = cosines[row]?.[column];
  return (
    <div ref={box} class="result">
      <ScrollBox name="map" label="Map">
        <ol class="map-lines">
          {lines.map((line, place) => (
            <li
              key={line}
              style={{ height: `${cell}px` }}
              class={place === row || place === column ? "on" : ""}
            >
              <span class="map-number">{place + 1}</span>
              <span class="map-text" dir="auto" title={line}>
                {line}
              </span>
            </li>
          ))}
        </ol>
        <svg
          class="map-cells"
          role="img"
          aria-label="Map of similarities; the table below has the numbers"
          width={side}
          height={side}
          viewBox={`0 0 ${side} ${side}`}
          onPointerLeave={() => setAt(undefined)}
        >
          {cosines.flatMap((values, place) =>
            values.map((value, other) => (
              <rect
                key={`${place} ${other}`}
                class={place === row && other === column ? "cell on" : "cell"}
                x={other * cell + 1}
                y={place * cell + 1}
                width={cell - 2}
                height={cell - 2}
                rx="4"
                fill-opacity={place === other ? 1 : 0.06 + 0.94 * scale(value)}
                onPointerEnter={() => setAt([place, other])}
              />
            )),
          )}
        </svg>
      </ScrollBox>
      {cosine !== undefined && lines.length > 1 && (
        <p class="map-words">
          {at === undefined ? "Most alike" : "Pointed at"}: <q dir="auto">{lines[row]}</q> and{" "}
          <q dir="auto">{lines[column]}</q>, cosine <strong class="number">{cosine.toFixed(3)}</strong>
        </p>
      )}
    </div>
  );
}
