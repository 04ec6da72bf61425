/** The numbers of the map, for reading. */
import { ScrollBox } from "../components/boxes/scroll-box.tsx";

export function SimilarityTable({
  lines,
  cosines,
}: {
  lines: readonly string[];
  cosines: readonly number[][];
}) {
  return (
    <details>
      <summary>As a table</summary>
      <ScrollBox label="Table of similarities">
        <table class="numbers">
          <thead>
            <tr>
              <th scope="col">Text</th>
              {lines.map((line, place) => (
                <th scope="col" key={line}>
                  {place + 1}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {lines.map((line, place) => (
              <tr key={line}>
                <th scope="row" dir="auto">
                  {place + 1}. {line}
                </th>
                {cosines[place]!.map((value, other) => (
                  <td key={lines[other]}>{value.toFixed(2)}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollBox>
    </details>
  );
}
