/**
 * Counts the provider keys that providers refused, by the API key whose requests used them. Each refusal is a call from the operator's
 * address, which providers lock out after many, and costs its caller nothing. In one isolate's memory.
 */

export type WrongKeys = {
  /** A provider refused a key, sent or stored, of a request of this API key. `sent`: its hash. */
  add(apiKeyId: string, sent: string, now: number): void;
  /** Seconds until this API key may use this provider key; undefined unless it, or too many others, were refused. */
  wait(apiKeyId: string, sent: string, now: number): number | undefined;
};

/**
 * Different provider keys of one API key that may be refused in a minute, and how often one of them may be. Counted apart, since an API
 * key may send the keys of many people: one revoked key that a program tries again and again stops only itself.
 */
export const maxWrongKeys = 120;
const countedMs = 60_000;
/** About .2 KB each. */
const maxRemembered = 10_000;

export function createWrongKeys(): WrongKeys {
  // By API key, and by API key with what it sent, in the order in which one was refused last: since when they are counted.
  const counts = new Map<string, { since: number; count: number }>();
  const read = (name: string, now: number) => {
    const known = counts.get(name);
    // Absolute: where the clock was set back, a count of later would refuse until that time comes again.
    return known !== undefined && Math.abs(now - known.since) < countedMs ? known : { since: now, count: 0 };
  };
  const increment = (name: string, now: number) => {
    const { since, count } = read(name, now);
    counts.delete(name);
    counts.set(name, { since, count: count + 1 });
    if (counts.size > maxRemembered) counts.delete(counts.keys().next().value!);
  };
  return {
    add(apiKeyId, sent, now) {
      const own = `${apiKeyId} ${sent}`;
      if (read(own, now).count === 0) increment(apiKeyId, now);
      increment(own, now);
    },
    wait(apiKeyId, sent, now) {
      const full = [apiKeyId, `${apiKeyId} ${sent}`]
        .map((name) => read(name, now))
        .find(({ count }) => count >= maxWrongKeys);
      return full && Math.ceil((full.since + countedMs - now) / 1000);
    },
  };
}
