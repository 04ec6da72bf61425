// Every measurement of the benchmark runs, for a few calls; its results are checked for form, not for speed.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { type Measured, measurements, runBench } from "../bench/bench.ts";
import { renderResult } from "../bench/report.ts";
import { percentile, summarize } from "../bench/statistics.ts";

const effort = { seconds: 0.05, rounds: 2, openStreams: 70, soakSeconds: 2 };

const numbersOf = ({ rows }: Measured): number[] =>
  rows.flatMap(({ figures }) =>
    Object.values(figures).flatMap((figure) =>
      typeof figure === "number" ? [figure] : [figure.low, figure.median, figure.high],
    ),
  );

test("every measurement gives figures for all its rows, and a request makes two round trips before its provider's", async () => {
  const heard: string[] = [];
  const results = await runBench(measurements, effort, ({ name }) => heard.push(name));
  expect(heard).toEqual(measurements.map(({ name }) => name));
  for (const result of results) {
    expect(result.rows.length).toBeGreaterThan(0);
    expect(numbersOf(result).filter(Number.isNaN)).toEqual([]);
    for (const { label } of result.rows) expect(renderResult(result.title, result)).toContain(label);
  }
  const trips = results.find(({ name }) => name === "round-trips")!;
  expect(trips.rows.map(({ figures }) => figures)).toEqual(
    Array(4).fill({ databaseBefore: 1, worker: 1, provider: 1, databaseAfter: 1 }),
  );
}, 240_000);

test.each([
  [[], 0.5, Number.NaN],
  [[3], 0.99, 3],
  [[4, 1, 3, 2], 0.5, 2],
  [[1, 2, 3, 4], 0, 1],
  [[1, 2, 3, 4], 1, 4],
])("the percentile of %j at %d is %d", (samples, share, expected) => {
  expect(percentile(samples, share)).toBe(expected);
});

test("a figure is the middle round with the lowest and the highest", () => {
  expect(summarize([5, 1, 3])).toEqual({ median: 3, low: 1, high: 5 });
});

test.each([["--only", "nothing"], ["--foo"], ["nonsense"], ["--help"]])(
  "npm run bench refuses %s in one line that says what it takes",
  (...words) => {
    const command = fileURLToPath(new URL("../bench/main.ts", import.meta.url));
    const { status, stderr } = spawnSync(process.execPath, [command, ...words], { encoding: "utf8" });
    expect([status, stderr]).toEqual([2, expect.stringMatching(/^bench: --only takes [^\n]*\n$/)]);
  },
);
