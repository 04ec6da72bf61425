/** Days of UTC, as the usage endpoint has them. Pure. */

const dayMs = 86_400_000;

/** The last `count` days up to the day of `now`. */
export function lastDays(count: number, now: number): { from: string; to: string } {
  return { from: dayOf(now - (count - 1) * dayMs), to: dayOf(now) };
}

/** Every day of a range, both ends included, so that a chart also has a place for days without use. */
export function listDays({ from, to }: { from: string; to: string }): string[] {
  const days: string[] = [];
  for (let at = Date.parse(from); at <= Date.parse(to); at += dayMs) days.push(dayOf(at));
  return days;
}

const dayOf = (moment: number): string => new Date(moment).toISOString().slice(0, 10);
