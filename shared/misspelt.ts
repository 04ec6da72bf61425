/**
 * Finds environment variables that are probably misspelt names of ours. Such a variable is ignored, and its default counts: another
 * database, another vault key, no limit. Pure; values are not looked at.
 */
import { measureDistance } from "./edit-distance.ts";

/** Short names are near to foreign ones: `GIT_SHA` and `GIT_SSH` differ in two letters. */
const lettersForEachMistake = 5;
const mostMistakes = 3;

/**
 * A sentence for each variable that is set, is none of `known`, and differs from one of them in a few letters. The first letter is seldom
 * mistyped: with another one it is another program's (`DOCKER_HOST` is not `WORKER_HOST`).
 */
export function findMisspelt(
  env: Readonly<Record<string, string | undefined>>,
  known: readonly string[],
): string[] {
  return Object.keys(env).flatMap((name) => {
    if (known.includes(name) || !env[name]?.trim()) return [];
    const meant = known.find((one) => isMeant(name, one));
    return meant === undefined ? [] : [`${name} is set, but is no variable of this service: is it ${meant}?`];
  });
}

const allowedMistakes = (name: string): number =>
  Math.min(mostMistakes, Math.floor(name.length / lettersForEachMistake));

/** Lengths are compared first: a foreign variable's name may have any length. */
const isMeant = (name: string, known: string): boolean =>
  name[0] === known[0] &&
  Math.abs(name.length - known.length) <= mostMistakes &&
  measureDistance(name, known) <= allowedMistakes(known);
