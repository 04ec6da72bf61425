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

test("a value that is read stands under its own name, and no other", () => {
  const metrics = createMetrics({
    depth: { type: "gauge", help: "What waits." },
    threads: { type: "gauge", help: "What lives." },
  } as const);
  const page = metrics.render([{ name: "threads", labels: {}, value: 2 }]);
  expect(page).toBe(
    "# HELP depth What waits.\n# TYPE depth gauge\n# HELP threads What lives.\n# TYPE threads gauge\nthreads 2\n",
  );
});

test("a counter grows by one, or by what is told", () => {
  const metrics = createMetrics(families);
  metrics.count("seen_total");
  metrics.count("seen_total", {}, 41);
  expect(metrics.render([])).toContain("\nseen_total 42\n");
});

test("a histogram in which nothing was seen yet is shown with zeros", () => {
  expect(createMetrics(families).render([])).toContain(
    'waits_ms_bucket{le="1"} 0\nwaits_ms_bucket{le="10"} 0\nwaits_ms_bucket{le="+Inf"} 0\nwaits_ms_sum 0\nwaits_ms_count 0\n',
  );
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
  // What lasted as long as a bucket's bound belongs to it.
  expect(page).toContain('waits_ms_bucket{path="/a",le="1"} 1\n');
  expect(page).toContain('waits_ms_bucket{path="/a",le="10"} 1\nwaits_ms_bucket{path="/a",le="+Inf"} 2\n');
  expect(page).toContain('waits_ms_sum{path="/a"} 12\nwaits_ms_count{path="/a"} 2\n');
  expect(page).toContain('waits_ms_count{path="/b"} 1\n');
});
