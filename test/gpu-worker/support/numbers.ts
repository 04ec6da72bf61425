/** A generator of made-up numbers, the same for the same seed. */
export function createNumbers(seed: number) {
  let state = seed;
  const next = () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state / 2 ** 31;
  };
  const some = (length: number) => Float32Array.from({ length }, () => 2 * next() - 1);
  return {
    /** A whole number below `count`. */
    below: (count: number) => Math.floor(next() * count),
    /** Numbers between -1 and 1. */
    some,
    unit(length: number) {
      const values = some(length);
      const size = Math.hypot(...values);
      return values.map((value) => value / size);
    },
  };
}
