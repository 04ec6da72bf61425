/** Magnitude of the state as a line, predicted change of each step as bars, over the steps. */
import { magnitudeBands } from "../../../shared/bands.ts";
import type { Rollout } from "../api/rollout.ts";
import { readable } from "../components/format.ts";

const height = 240;
const left = 40;
const bottom = 26;
const top = 14;
/** Pixels across. With fewer, a chart of one step would be a strip. */
const minWidth = 420;
/** Pixels per step. From `words` on a label reads "step 3"; with `min` ten steps fit a phone. */
const stepWidths = { words: 44, max: 110, min: 24 };
const maxBarWidth = 34;

/** The magnitudes between two words for a state's complexity: a line is drawn at each. */
const bands = magnitudeBands
  .map((band) => ("below" in band ? band.below : band.upTo))
  .filter(Number.isFinite);

/** The next round number that leaves room above the largest value. */
const roundUp = (value: number): number => Math.max(10, Math.ceil(value / 10) * 10);

type RolloutChartProps = Pick<Rollout, "predictions"> & {
  /** Pixels across; steps stand closer where they would not fit. */
  available: number | undefined;
};

export function RolloutChart({ predictions, available }: RolloutChartProps) {
  const first = predictions[0];
  if (first === undefined) return null;
  const magnitudes = [first.current_state, ...predictions.map((step) => step.predicted_state)].map(
    ({ magnitude }) => magnitude,
  );
  const most = roundUp(Math.max(...magnitudes, ...predictions.map((step) => step.state_change)));
  const { width, stepWidth, barWidth, x, y } = layOut(predictions.length, most, available);
  const nameOf = (step: number) => (stepWidth < stepWidths.words ? String(step) : `step ${step}`);
  return (
    <svg
      class="chart"
      role="img"
      aria-label={`Magnitude begins at ${magnitudes[0]!.toFixed(1)}. ${describe(predictions)}`}
      viewBox={`0 0 ${width} ${height}`}
      style={{ maxWidth: `${width}px` }}
    >
      {[0, ...bands.filter((band) => band < most), most].map((value) => (
        <g key={value} class="grid">
          <line x1={left} x2={width} y1={y(value)} y2={y(value)} />
          <text x={left - 8} y={y(value) + 4} text-anchor="end">
            {value}
          </text>
        </g>
      ))}
      {predictions.map(({ step, state_change: change }) => (
        <g key={step}>
          <rect
            class="bar"
            x={x(step - 0.5) - barWidth / 2}
            y={y(change)}
            width={barWidth}
            height={y(0) - y(change)}
            rx="3"
          />
          <text class="value" x={x(step - 0.5)} y={y(change) - 5} text-anchor="middle">
            {change.toFixed(1)}
          </text>
        </g>
      ))}
      <polyline class="line" points={magnitudes.map((value, step) => `${x(step)},${y(value)}`).join(" ")} />
      {magnitudes.map((value, step) => (
        <g key={step}>
          <circle class="dot" cx={x(step)} cy={y(value)} r="5" />
          <text class="axis" x={x(step)} y={height - 8} text-anchor="middle">
            {step === 0 ? "begin" : nameOf(step)}
          </text>
        </g>
      ))}
    </svg>
  );
}

/** Where a step and a value are. @param most the largest value */
function layOut(steps: number, most: number, available = Number.POSITIVE_INFINITY) {
  const across = steps + 0.6;
  const mostWide = Math.max(stepWidths.max, (minWidth - left) / across);
  const stepWidth = Math.min(mostWide, Math.max(stepWidths.min, (available - left) / across));
  return {
    width: left + stepWidth * across,
    stepWidth,
    barWidth: Math.min(maxBarWidth, stepWidth * 0.6),
    x: (step: number) => left + stepWidth * (step + 0.25),
    y: (value: number) => height - bottom - (value / most) * (height - bottom - top),
  };
}

const describe = (predictions: Rollout["predictions"]): string =>
  predictions
    .map(
      ({ action, state_change: change, predicted_state: after }) =>
        `${readable(action.action_name)} changes ${change.toFixed(1)}, then magnitude ${after.magnitude.toFixed(1)}`,
    )
    .join(". ");
