/** The map's numbers, for who reads rather than looks. */

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
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls has to be reachable by keyboard */}
      <section class="scroll-x" tabIndex={0} aria-label="Table of similarities">
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
      </section>
    </details>
  );
}
