// The soak measurement for a few seconds: its checks pass, and it reports its figures.
import { expect, test } from "vitest";
import { runBench } from "../bench/bench.ts";
import { type Sample, soakGrowth, soakRows, soakWorker } from "../bench/measurements/soak.ts";

const sampleAt = (second: number, residentMib: number): Sample => ({
  second,
  residentMib,
  threads: 9,
  queue: Math.round(second),
  answered: 2,
  refused: 1,
  other: 0,
  failed: 0,
});

test("rows are of ten seconds each, and one of all: counts summed, the queue at its longest", () => {
  const rows = soakRows([0, 4, 9, 12, 19].map((second) => sampleAt(second, 100 + second)));
  expect(rows.map(({ label }) => label)).toEqual(["second 0 to 10", "second 10 to 20", "all"]);
  expect(rows.map(({ figures }) => figures.answered)).toEqual([6, 4, 10]);
  expect(rows.map(({ figures }) => figures.queue)).toEqual([9, 19, 19]);
  expect(rows[0]!.figures.residentMib).toBe(104);
});

test("growth is the last minute against the second one", () => {
  const samples = Array.from({ length: 601 }, (_, second) => sampleAt(second, second < 60 ? 50 : 100));
  expect(soakGrowth(samples)).toEqual({ before: 100, after: 100 });
  expect(soakGrowth(samples.map((one) => ({ ...one, residentMib: one.second })))).toEqual({
    before: 90,
    after: 570,
  });
});

test("over its queue's bound the worker refuses with Retry-After and answers everything else", async () => {
  const effort = { seconds: 1, rounds: 1, openStreams: 1, soakSeconds: 3 };
  const [soak] = await runBench([soakWorker], effort, () => undefined);
  const all = soak!.rows.at(-1)!.figures;
  expect(all.answered).toBeGreaterThan(0);
  expect(all.refused).toBeGreaterThan(0);
  expect([all.other, all.failed]).toEqual([0, 0]);
  // The worker queues 256 chat requests and 256 embeddings.
  expect(all.queue).toBeLessThanOrEqual(2 * 256);
  expect(soak!.notes.join()).toContain(
    "0 requests without an answer, 0 in the queue; one more plan was answered",
  );
}, 120_000);
