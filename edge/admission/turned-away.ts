/**
 * Remembers whose long work the gpu-workers have just refused, and until when: the same request, or a larger one,
 * that comes before is refused before its body is read. A client that asks again at once then costs a database
 * read, and not half a megabyte of JSON. A cache of one isolate: lost, it costs one more refusal of the worker.
 */
import type { GatewayError } from "../../shared/errors.ts";

type Refused = { bytes: number; until: number; error: GatewayError };

export type TurnedAway = {
  /** The refusal to repeat; undefined for a request that may be tried. */
  find(
    name: string,
    bytes: number,
    now: number,
  ): { error: GatewayError; retryAfterSeconds: number } | undefined;
  remember(name: string, bytes: number, error: GatewayError, now: number): void;
};

const mostRemembered = 1_000;

export function createTurnedAway(): TurnedAway {
  const refused = new Map<string, Refused>();
  return {
    find(name, bytes, now) {
      const known = refused.get(name);
      if (!known) return undefined;
      if (known.until <= now) {
        refused.delete(name);
        return undefined;
      }
      if (bytes < known.bytes) return undefined;
      return { error: known.error, retryAfterSeconds: Math.ceil((known.until - now) / 1000) };
    },
    remember(name, bytes, error, now) {
      const { retryAfterSeconds } = error.details;
      if (retryAfterSeconds === undefined) return;
      // The one remembered longest goes first.
      if (refused.size >= mostRemembered) refused.delete(refused.keys().next().value!);
      refused.delete(name);
      refused.set(name, { bytes, until: now + retryAfterSeconds * 1000, error });
    },
  };
}
