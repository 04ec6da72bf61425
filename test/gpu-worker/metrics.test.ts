import { describe, expect, it } from "vitest";
import { createMetrics } from "../../gpu-worker/metrics.ts";

const line = (page: string, start: string) => page.split("\n").find((one) => one.startsWith(start));

describe("the figures page", () => {
  it("counts per set of labels, and puts a figure that was read beside them", () => {
    const metrics = createMetrics();
    metrics.count("svc_worker_requests_total", { route: "/plan", status: 200 });
    metrics.count("svc_worker_requests_total", { route: "/plan", status: 200 });
    metrics.count("svc_worker_requests_total", { route: "/plan", status: 503 });
    const page = metrics.render([{ name: "svc_worker_queue_depth", labels: { size: "base" }, value: 3 }]);
    expect(page).toContain('svc_worker_requests_total{route="/plan",status="200"} 2\n');
    expect(page).toContain('svc_worker_requests_total{route="/plan",status="503"} 1\n');
    expect(page).toContain('# TYPE svc_worker_queue_depth gauge\nsvc_worker_queue_depth{size="base"} 3\n');
  });

  it("writes cumulative buckets whose last holds everything, bounds included", () => {
    const metrics = createMetrics();
    for (const requests of [1, 2, 2, 5, 1000]) metrics.observe("svc_worker_batch_requests", requests);
    const page = metrics.render([]);
    expect(line(page, 'svc_worker_batch_requests_bucket{le="1"}')).toMatch(/ 1$/);
    expect(line(page, 'svc_worker_batch_requests_bucket{le="2"}')).toMatch(/ 3$/);
    expect(line(page, 'svc_worker_batch_requests_bucket{le="128"}')).toMatch(/ 4$/);
    expect(line(page, 'svc_worker_batch_requests_bucket{le="+Inf"}')).toMatch(/ 5$/);
    expect(line(page, "svc_worker_batch_requests_sum")).toMatch(/ 1010$/);
    expect(line(page, "svc_worker_batch_requests_count")).toMatch(/ 5$/);
  });

  it("shows every series before anything happened, each line in the format's grammar", () => {
    for (const one of createMetrics().render([]).trimEnd().split("\n")) {
      expect(one).toMatch(/^(# (HELP|TYPE) \w+ .+|\w+(\{\w+="[^"]*"(,\w+="[^"]*")*\})? [\d.e+-]+)$/);
    }
  });
});
