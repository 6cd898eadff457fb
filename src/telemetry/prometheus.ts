/** Counters and histograms with labels, and their text in the Prometheus exposition format. */

export type Labels = Readonly<Record<string, string>>;

/** What a metric has counted. */
export type MetricReading =
  | {
      readonly type: "counter" | "gauge";
      readonly name: string;
      readonly about: string;
      readonly series: readonly { readonly labels: Labels; readonly value: number }[];
    }
  | {
      readonly type: "histogram";
      readonly name: string;
      readonly about: string;
      readonly bounds: readonly number[];
      readonly series: readonly HistogramSeries[];
    };

export type HistogramSeries = {
  readonly labels: Labels;
  /** For each bound, how many values are not above it. */
  readonly counts: readonly number[];
  readonly sum: number;
  readonly count: number;
};

export interface Metric {
  read(): MetricReading[];
  text(): string;
}

export interface Counter extends Metric {
  add(amount?: number, labels?: Labels): void;
}

export interface Histogram extends Metric {
  observe(value: number, labels?: Labels): void;
}

/** A counter without labels is written from the start; a series with labels once it was counted. */
export function createCounter(name: string, about: string, { isLabelled = false } = {}): Counter {
  const series = new Map<string, { readonly labels: Labels; value: number }>();
  if (!isLabelled) series.set("", { labels: {}, value: 0 });
  return {
    add(amount = 1, labels = {}) {
      if (!Number.isFinite(amount)) return;
      const key = formatLabels(labels);
      const known = series.get(key);
      if (known === undefined) series.set(key, { labels, value: amount });
      else known.value += amount;
    },
    ...readable(() => ({ type: "counter", name, about, series: [...series.values()] })),
  };
}

/** A value above the last bound is counted in +Inf. */
export function createHistogram(
  name: string,
  about: string,
  bounds: readonly number[],
  { isLabelled = false } = {},
): Histogram {
  const newSeries = (labels: Labels) => ({ labels, counts: bounds.map(() => 0), sum: 0, count: 0 });
  const all = new Map<string, ReturnType<typeof newSeries>>(isLabelled ? [] : [["", newSeries({})]]);
  return {
    observe(value, labels = {}) {
      if (!Number.isFinite(value)) return;
      const key = formatLabels(labels);
      const series = all.get(key) ?? newSeries(labels);
      all.set(key, series);
      series.sum += value;
      series.count += 1;
      for (const [index, bound] of bounds.entries())
        if (value <= bound) series.counts[index] = (series.counts[index] ?? 0) + 1;
    },
    ...readable(() => ({ type: "histogram", name, about, bounds, series: [...all.values()] })),
  };
}

const readable = (read: () => MetricReading): Metric => ({
  read: () => [read()],
  text: () => writeText([read()]),
});

/** The lines of metrics. */
export function writeText(readings: readonly MetricReading[]): string {
  return readings.map((reading) => `${head(reading)}${writeValues(reading)}`).join("");
}

/** The lines that say what a metric is. */
const head = ({ name, type, about }: MetricReading): string => `# HELP ${name} ${about}\n# TYPE ${name} ${type}\n`;

function writeValues(reading: MetricReading): string {
  const { name } = reading;
  if (reading.type === "histogram")
    return reading.series.map((each) => writeHistogram(name, reading.bounds, each)).join("");
  return reading.series.map(({ labels, value }) => `${name}${formatLabels(labels)} ${value}\n`).join("");
}

function writeHistogram(
  name: string,
  bounds: readonly number[],
  { labels, counts, sum, count }: HistogramSeries,
): string {
  const bucket = (le: string, value: number) => `${name}_bucket${formatLabels({ ...labels, le })} ${value}\n`;
  const buckets = bounds.map((bound, index) => bucket(String(bound), counts[index] ?? 0));
  const key = formatLabels(labels);
  return `${buckets.join("")}${bucket("+Inf", count)}${name}_sum${key} ${sum}\n${name}_count${key} ${count}\n`;
}

function formatLabels(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escapeValue(value)}"`);
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
}

/** A tool or client may have any name. */
const escapeValue = (value: string): string =>
  value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n").replaceAll("\r", " ");
