// docs/operating/: the alerts and the dashboard use only metrics that exist, and docs/operating.md explains each.
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { edgeFamilies } from "../edge/telemetry/metrics.ts";
import { createMetrics } from "../gpu-worker/metrics.ts";

const read = (name: string) => readFileSync(new URL(`../docs/operating/${name}`, import.meta.url), "utf8");

/** Every series that can be asked for: a histogram has three. */
function listSeries(): Map<string, string> {
  const types = new Map(Object.entries(edgeFamilies).map(([name, { type }]) => [name, type as string]));
  for (const [, name, type] of createMetrics()
    .render([])
    .matchAll(/^# TYPE (\w+) (\w+)$/gm)) {
    types.set(name!, type!);
  }
  const series = new Map<string, string>();
  for (const [name, type] of types) {
    if (type === "histogram")
      for (const end of ["bucket", "sum", "count"]) series.set(`${name}_${end}`, type);
    else series.set(name, type);
  }
  return series;
}

const series = listSeries();
const namesIn = (text: string) => [...new Set(text.match(/\bsvc_\w+/g))];

type Panel = {
  id: number;
  type: string;
  title: string;
  gridPos: { h: number; w: number; x: number; y: number };
  targets?: { expr: string; legendFormat: string; datasource: { uid: string } }[];
};
const dashboard = JSON.parse(read("grafana-dashboard.json")) as {
  title: string;
  uid: string;
  panels: Panel[];
  templating: { list: { name: string; type: string }[] };
};
const targets = dashboard.panels.flatMap(({ targets: asked = [] }) => asked);
const alerts = read("alerts.yml");
const rules = alerts.split(/^ {6}- alert: /m).slice(1);
const wordless = alerts.replace(/^ *#.*$/gm, "");

describe.each([
  ["the dashboard", targets.map(({ expr }) => expr).join("\n")],
  ["the alert rules", wordless.replace(/^ *(summary|action): .*$/gm, "")],
])("%s", (_name, expressions) => {
  test("names figures that exist, and no other", () => {
    expect(namesIn(expressions).length).toBeGreaterThan(8);
    expect(namesIn(expressions).filter((name) => !series.has(name))).toEqual([]);
  });

  test("takes rates of what only grows, and quantiles of histograms", () => {
    const rated = [...expressions.matchAll(/\b(?:rate|increase|resets)\((\w+)/g)].map(([, name]) => name!);
    expect(rated.filter((name) => !["counter", "histogram"].includes(series.get(name)!))).toEqual([]);
    for (const [quantile] of expressions.matchAll(/histogram_quantile\([^\n]*/g)) {
      expect(quantile).toMatch(/\(le|, le/);
    }
  });
});

describe("the dashboard", () => {
  test("shows every family but what one can do without", () => {
    const asked = namesIn(targets.map(({ expr }) => expr).join());
    const families = [...series.keys()].map((name) => name.replace(/_(bucket|sum|count)$/, ""));
    const shown = new Set(asked.map((name) => name.replace(/_(bucket|sum|count)$/, "")));
    expect([...new Set(families)].filter((name) => !shown.has(name))).toEqual([]);
  });

  test("has panels of their own numbers that do not lie on each other, each with a source that can be chosen", () => {
    const { panels, templating } = dashboard;
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    expect(templating.list.map(({ name, type }) => [name, type])).toEqual([["datasource", "datasource"]]);
    expect(targets.filter(({ datasource }) => !/^\$\{datasource\}$/.test(datasource.uid))).toEqual([]);
    const cells = panels.flatMap(({ gridPos: { h, w, x, y } }) =>
      Array.from({ length: h * w }, (_, at) => `${x + (at % w)},${y + Math.floor(at / w)}`),
    );
    expect(new Set(cells).size).toBe(cells.length);
    expect(panels.every(({ gridPos: { x, w } }) => x + w <= 24)).toBe(true);
  });
});

describe("each alert", () => {
  test.each(rules.map((rule) => [rule.split("\n")[0]!, rule]))(
    "%s has a condition, a severity, a sentence and something to do",
    (_name, rule) => {
      expect(rule).toMatch(/^ {8}expr: .*(\n {10}.*)*[<>=]/m);
      expect(rule).toMatch(/labels: \{severity: (page|ticket)\}/);
      expect(rule).toMatch(/^ {10}summary: .{10,}$/m);
      expect(rule).toMatch(/^ {10}action: .{10,}$/m);
    },
  );

  // A probe a second beside one request a minute, which fails, would leave the share at 2 %.
  test("measures the share of failures among what callers ask, without probes and Prometheus", () => {
    const shares = rules.filter((rule) => rule.includes('status="5xx"'));
    const asked = shares.flatMap((rule) => rule.match(/svc_edge_requests_total[^[]*/g));
    expect(asked).toHaveLength(2);
    for (const selector of asked) expect(selector).toContain('route!~"GET /(health|metrics)"');
  });

  test("has a row in operating.md that says the same severity", () => {
    const rows = readFileSync(new URL("../docs/operating.md", import.meta.url), "utf8").split("\n");
    const missing = rules.filter((rule) => {
      const name = rule.split("\n")[0]!;
      const severity = /severity: (\w+)/.exec(rule)![1]!;
      return !rows.some(
        (row) => row.startsWith("| `Svc") && row.includes(`\`${name}\``) && row.includes(`, ${severity} |`),
      );
    });
    expect(missing).toEqual([]);
  });
});

test("operating.md explains each figure, and no other", () => {
  const text = readFileSync(new URL("../docs/operating.md", import.meta.url), "utf8");
  const explained = new Set(
    [...text.matchAll(/^\| (`svc_\w+`(?:, `svc_\w+`)*) \|/gm)].flatMap(([, names]) => namesIn(names!)),
  );
  const families = [...series.keys()].map((name) => name.replace(/_(bucket|sum|count)$/, ""));
  expect([...explained].sort()).toEqual([...new Set(families)].sort());
});

test("the unit in operating.md starts the supervisor as `npm start` does", () => {
  const unit = readFileSync(new URL("../docs/operating.md", import.meta.url), "utf8");
  const { scripts } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
  expect(unit).toContain(
    `ExecStart=/opt/svc/node_modules/.bin/${(scripts.start as string).replace(/^exec /, "")}\n`,
  );
});
