/**
 * Finds environment variables that are probably misspelt names of ours. Such a variable is ignored, and its default counts: another
 * database, another vault key, no limit. Pure; values are not looked at.
 */

/** Short names are near to foreign ones: `GIT_SHA` and `GIT_SSH` differ in two letters. */
const lettersForEachMistake = 5;
const mostMistakes = 3;

/**
 * A sentence for each variable that is set, is none of `known`, and differs from one of them in a few letters. The first letter is seldom
 * mistyped: with another one it is another program's (`DOCKER_HOST` is no `WORKER_HOST`).
 */
export function findMisspelt(
  env: Readonly<Record<string, string | undefined>>,
  known: readonly string[],
): string[] {
  return Object.keys(env).flatMap((name) => {
    if (known.includes(name) || !env[name]?.trim()) return [];
    const meant = known.find((one) => one[0] === name[0] && countMistakes(name, one) <= allowedMistakes(one));
    return meant === undefined ? [] : [`${name} is set, but is no variable of this service: is it ${meant}?`];
  });
}

const allowedMistakes = (name: string): number =>
  Math.min(mostMistakes, Math.floor(name.length / lettersForEachMistake));

/** Letters to add, leave out or replace (Levenshtein's distance). */
function countMistakes(one: string, other: string): number {
  if (Math.abs(one.length - other.length) > mostMistakes) return Number.POSITIVE_INFINITY;
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (const [at, letter] of [...one].entries()) {
    const next = [at + 1];
    for (let index = 0; index < other.length; index++) {
      const replaced = row[index]! + (letter === other[index] ? 0 : 1);
      next.push(Math.min(replaced, row[index + 1]! + 1, next[index]! + 1));
    }
    row = next;
  }
  return row.at(-1)!;
}
