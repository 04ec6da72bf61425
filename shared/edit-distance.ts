/** Levenshtein's distance. Pure. */

/**
 * How many letters must be added, removed or replaced to turn one text into the other. Each has at most 255 UTF-16 units, as the numbers
 * are bytes. One row of them is reused: with lists that grow it took four times as long.
 */
export function measureDistance(left: string, right: string): number {
  const row = Uint8Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let i = 1; i <= left.length; i += 1) {
    const letter = left.charCodeAt(i - 1);
    let diagonal = row[0]!;
    row[0] = i;
    for (let j = 1; j <= right.length; j += 1) {
      const above = row[j]!;
      const swap = diagonal + Number(letter !== right.charCodeAt(j - 1));
      row[j] = Math.min(swap, above + 1, row[j - 1]! + 1);
      diagonal = above;
    }
  }
  return row[right.length]!;
}
