/**
 * Metrics in the Prometheus text format (version 0.0.4): counters and histograms that are kept here, and values that are read when
 * the page is rendered. The caller of createMetrics owns the families (names, types, help texts). Label values come from closed sets,
 * never from a request: each new value is a series that stays in memory.
 */

export type Labels = Readonly<Record<string, string | number>>;
type Family =
  | { type: "counter"; help: string }
  | { type: "gauge"; help: string }
  | { type: "histogram"; help: string; buckets: readonly number[] };
type Families = Readonly<Record<string, Family>>;

type NamesOf<Table extends Families, Type> = {
  [Name in keyof Table & string]: Table[Name]["type"] extends Type ? Name : never;
}[keyof Table & string];
/** A value read when the page is rendered, not kept here: a gauge, or a counter that another part keeps. */
export type Reading<Table extends Families> = {
  name: NamesOf<Table, "gauge" | "counter">;
  labels: Labels;
  value: number;
};

export type Metrics<Table extends Families> = {
  count(name: NamesOf<Table, "counter">, labels?: Labels, by?: number): void;
  observe(name: NamesOf<Table, "histogram">, value: number, labels?: Labels): void;
  /** The values of a counter, by its labels. */
  read(name: NamesOf<Table, "counter">): { labels: Labels; value: number }[];
  /** The whole page; `readings` are added to the counted metrics. */
  render(readings: readonly Reading<Table>[]): string;
};

export const metricsContentType = "text/plain; version=0.0.4; charset=utf-8";

type Counter = { labels: Labels; value: number };
type Histogram = { counts: number[]; sum: number; total: number };

/** The metrics of one process. */
export function createMetrics<Table extends Families>(families: Table): Metrics<Table> {
  const counters = new Map<string, Map<string, Counter>>();
  const histograms = new Map<string, Map<string, Histogram>>();
  const seriesOf = <Value>(kept: Map<string, Map<string, Value>>, name: string) => {
    const series = kept.get(name) ?? new Map<string, Value>();
    kept.set(name, series);
    return series;
  };

  return {
    count(name, labels = {}, by = 1) {
      const series = seriesOf(counters, name);
      const key = writeLabels(labels);
      const counter = series.get(key) ?? { labels, value: 0 };
      series.set(key, counter);
      counter.value += by;
    },
    observe(name, value, labels = {}) {
      const { buckets } = families[name] as Extract<Family, { type: "histogram" }>;
      const series = seriesOf(histograms, name);
      const key = writeLabels(labels);
      const histogram = series.get(key) ?? emptyHistogram(buckets);
      series.set(key, histogram);
      const index = buckets.findIndex((bound) => value <= bound);
      if (index >= 0) histogram.counts[index]! += 1;
      histogram.sum += value;
      histogram.total += 1;
    },
    read: (name) => [...(counters.get(name)?.values() ?? [])].map((counter) => ({ ...counter })),
    render(readings) {
      return Object.entries(families)
        .map(([name, family]) => {
          const head = [`# HELP ${name} ${family.help}`, `# TYPE ${name} ${family.type}`];
          if (family.type === "histogram") {
            const series = histograms.get(name) ?? new Map([["", emptyHistogram(family.buckets)]]);
            return [...head, ...[...series].flatMap((one) => writeHistogram(name, family.buckets, ...one))];
          }
          const counted = [...(counters.get(name) ?? [])].map(
            ([labels, { value }]) => `${name}${labels} ${value}`,
          );
          const read = readings
            .filter((reading) => reading.name === name)
            .map((reading) => `${name}${writeLabels(reading.labels)} ${reading.value}`);
          return [...head, ...counted, ...read];
        })
        .map((lines) => `${lines.join("\n")}\n`)
        .join("");
    },
  };
}

const emptyHistogram = (buckets: readonly number[]): Histogram => ({
  counts: buckets.map(() => 0),
  sum: 0,
  total: 0,
});

const escapes: Readonly<Record<string, string>> = { "\\": "\\\\", '"': '\\"', "\n": "\\n" };

function writeLabels(labels: Labels): string {
  const pairs = Object.entries(labels).map(
    ([name, value]) => `${name}="${String(value).replace(/["\\\n]/g, (char) => escapes[char]!)}"`,
  );
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
}

/** `labels` in the form that `writeLabels` returns. */
function writeHistogram(
  name: string,
  buckets: readonly number[],
  labels: string,
  { counts, sum, total }: Histogram,
): string[] {
  const bucket = (bound: number | string) =>
    labels === "" ? `{le="${bound}"}` : `${labels.slice(0, -1)},le="${bound}"}`;
  let below = 0;
  const lines = buckets.map((bound, index) => {
    below += counts[index] ?? 0;
    return `${name}_bucket${bucket(bound)} ${below}`;
  });
  return [
    ...lines,
    `${name}_bucket${bucket("+Inf")} ${total}`,
    `${name}_sum${labels} ${sum}`,
    `${name}_count${labels} ${total}`,
  ];
}
