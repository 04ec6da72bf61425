/** Credits a day as columns, or credits a model or key as lines of bars. */
import type { Usage, UsageRow } from "../api/account-wire.ts";
import { formatCredits } from "../components/format.ts";
import { listDays } from "./days.ts";

export type UsageChartProps = { usage: Usage; nameOf: (group: string) => string };

export function UsageChart({ usage, nameOf }: UsageChartProps) {
  return usage.group_by === "day" ? <DayChart usage={usage} /> : <BarList usage={usage} nameOf={nameOf} />;
}

const gap = 0.3;

/** Drawn in a unit square that is stretched to the page; the labels are outside it, so they keep their size. */
function DayChart({ usage }: { usage: Usage }) {
  const days = listDays(usage);
  const byDay = new Map(usage.data.map((row) => [row.group, row.credits]));
  const highest = Math.max(...byDay.values(), 0);
  const slot = 1 / Math.max(days.length, 1);
  const total = usage.data.reduce((sum, row) => sum + row.credits, 0);
  return (
    <div class="day-chart hint">
      {highest > 0 && <p class="most">most in a day: {formatCredits(highest)} credits</p>}
      <svg
        role="img"
        aria-label={`Credits a day from ${usage.from} to ${usage.to}: ${formatCredits(total)} in all; the table has each day`}
        viewBox="0 0 1 1"
        preserveAspectRatio="none"
      >
        {days.map((day, index) => {
          const credits = byDay.get(day) ?? 0;
          const tall = highest === 0 ? 0 : credits / highest;
          return (
            <rect
              key={day}
              class="bar"
              x={(index + gap / 2) * slot}
              y={1 - tall}
              width={slot * (1 - gap)}
              height={tall}
            >
              <title>{`${day}: ${formatCredits(credits)} credits`}</title>
            </rect>
          );
        })}
      </svg>
      <p>
        <span>{usage.from}</span>
        <span>{usage.to}</span>
      </p>
    </div>
  );
}

const maxBars = 10;

/** Those that cost most first. */
export const byCredits = ({ data }: Usage): UsageRow[] =>
  data.toSorted((left, right) => right.credits - left.credits);

function BarList({ usage, nameOf }: UsageChartProps) {
  const rows = byCredits(usage).slice(0, maxBars);
  const highest = Math.max(...rows.map((row) => row.credits), Number.MIN_VALUE);
  return (
    <ul class="bar-list" aria-label="Credits">
      {rows.map(({ group, credits }) => (
        <li key={group}>
          <span class="bar-name">
            <bdi>{nameOf(group)}</bdi>
          </span>
          <svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
            <rect class="bar" width={(credits / highest) * 100} height="8" />
          </svg>
          <span class="number">{formatCredits(credits)}</span>
        </li>
      ))}
    </ul>
  );
}
