/** Credits a day as columns, or credits a model or key as lines of bars. */
import type { Usage } from "../api/account-wire.ts";
import { formatCredits } from "../components/format.ts";
import { listDays } from "./days.ts";

const height = 160;
const bottom = 20;

export type UsageChartProps = { usage: Usage; nameOf: (group: string) => string };

export function UsageChart({ usage, nameOf }: UsageChartProps) {
  return usage.group_by === "day" ? <DayChart usage={usage} /> : <BarList usage={usage} nameOf={nameOf} />;
}

function DayChart({ usage }: { usage: Usage }) {
  const days = listDays(usage);
  const byDay = new Map(usage.data.map((row) => [row.group, row.credits]));
  const most = Math.max(...byDay.values(), 0);
  const width = 720;
  const slot = width / Math.max(days.length, 1);
  const tall = (credits: number) => (most === 0 ? 0 : (credits / most) * (height - bottom - 16));
  const total = usage.data.reduce((sum, row) => sum + row.credits, 0);
  return (
    <svg
      class="chart usage-chart"
      role="img"
      aria-label={`Credits a day from ${usage.from} to ${usage.to}: ${formatCredits(total)} in all; the table has each day`}
      viewBox={`0 0 ${width} ${height}`}
    >
      <g class="grid">
        <line x1="0" x2={width} y1={height - bottom} y2={height - bottom} />
      </g>
      {most > 0 && (
        <text x={width} y="11" text-anchor="end">
          most in a day: {formatCredits(most)}
        </text>
      )}
      {days.map((day, place) => {
        const credits = byDay.get(day) ?? 0;
        return (
          <rect
            key={day}
            class="bar"
            x={place * slot + slot * 0.15}
            y={height - bottom - tall(credits)}
            width={slot * 0.7}
            height={tall(credits)}
            rx="2"
          >
            <title>{`${day}: ${formatCredits(credits)} credits`}</title>
          </rect>
        );
      })}
      <text x="0" y={height - 5}>
        {usage.from}
      </text>
      <text x={width} y={height - 5} text-anchor="end">
        {usage.to}
      </text>
    </svg>
  );
}

const mostBars = 10;

function BarList({ usage, nameOf }: { usage: Usage; nameOf: (group: string) => string }) {
  const rows = [...usage.data].sort((left, right) => right.credits - left.credits).slice(0, mostBars);
  const most = Math.max(...rows.map((row) => row.credits), Number.MIN_VALUE);
  return (
    <ul class="bar-list" aria-label="Credits">
      {rows.map(({ group, credits }) => (
        <li key={group}>
          <span class="bar-name">
            <bdi>{nameOf(group)}</bdi>
          </span>
          <svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
            <rect class="bar" width={(credits / most) * 100} height="8" />
          </svg>
          <span class="number">{formatCredits(credits)}</span>
        </li>
      ))}
    </ul>
  );
}
