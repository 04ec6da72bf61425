/** Cosines between vectors, and their scaling for the map. Pure. */

/** The vectors come normalised, so the dot product is the cosine. */
export function compareAll(vectors: readonly (readonly number[])[]): number[][] {
  return vectors.map((left) => vectors.map((right) => dot(left, right)));
}

function dot(left: readonly number[], right: readonly number[]): number {
  let sum = 0;
  for (let index = 0; index < left.length; index += 1) sum += left[index]! * (right[index] ?? 0);
  return sum;
}

/** The lines of a text that are not empty, each once, at most `maxLines`. */
export function readLines(text: string, maxLines: number): string[] {
  const lines = text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
  return [...new Set(lines)].slice(0, maxLines);
}

/** The position of a cosine between the lowest and the highest of a map, 0-1, so that maps of similar texts stay readable. */
export function scaleBetween(cosines: readonly (readonly number[])[]): (cosine: number) => number {
  const others = cosines.flatMap((row, index) => row.filter((_, other) => other !== index));
  const lowest = Math.min(...others);
  const highest = Math.max(...others);
  return (cosine) =>
    highest === lowest ? 1 : Math.min(1, Math.max(0, (cosine - lowest) / (highest - lowest)));
}

/** The indices of the most similar pair; undefined for fewer than two lines. */
export function findClosest(cosines: readonly (readonly number[])[]): [number, number] | undefined {
  let best: { pair: [number, number]; cosine: number } | undefined;
  for (const [left, row] of cosines.entries())
    for (const [right, cosine] of row.entries())
      if (right > left && (best === undefined || cosine > best.cosine))
        best = { pair: [left, right], cosine };
  return best?.pair;
}
