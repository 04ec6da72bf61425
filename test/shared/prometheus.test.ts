import { expect, test } from "vitest";
import { createMetrics } from "../../shared/prometheus.ts";

const families = {
  seen_total: { type: "counter", help: "What was seen." },
  waits_ms: { type: "histogram", help: "How long it waited.", buckets: [1, 10] },
} as const;

test("a label's value cannot end its quotes or its line", () => {
  const metrics = createMetrics(families);
  metrics.count("seen_total", { code: 'a"b\\c\nd' });
  expect(metrics.render([])).toContain('seen_total{code="a\\"b\\\\c\\nd"} 1\n');
});

test("a counter that another part keeps is shown beside those that are kept here", () => {
  const metrics = createMetrics(families);
  metrics.count("seen_total", { code: "one" });
  const page = metrics.render([{ name: "seen_total", labels: { code: "two" }, value: 7 }]);
  expect(page).toContain('# TYPE seen_total counter\nseen_total{code="one"} 1\nseen_total{code="two"} 7\n');
  expect(metrics.read("seen_total")).toEqual([{ labels: { code: "one" }, value: 1 }]);
});

test("each set of labels has its own buckets", () => {
  const metrics = createMetrics(families);
  for (const [path, ms] of [
    ["/a", 1],
    ["/a", 11],
    ["/b", 2],
  ] as const)
    metrics.observe("waits_ms", ms, { path });
  const page = metrics.render([]);
  expect(page).toContain('waits_ms_bucket{path="/a",le="10"} 1\nwaits_ms_bucket{path="/a",le="+Inf"} 2\n');
  expect(page).toContain('waits_ms_sum{path="/a"} 12\nwaits_ms_count{path="/a"} 2\n');
  expect(page).toContain('waits_ms_count{path="/b"} 1\n');
});
