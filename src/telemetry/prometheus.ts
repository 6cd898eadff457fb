/** Counters and histograms with labels, in the Prometheus text exposition format. */

export type Labels = Readonly<Record<string, string>>;

export interface Counter {
  add(amount?: number, labels?: Labels): void;
  text(): string;
}

export interface Histogram {
  observe(value: number, labels?: Labels): void;
  text(): string;
}

/** A counter without labels is written from the start; a series with labels once it was counted. */
export function createCounter(name: string, about: string, { isLabelled = false } = {}): Counter {
  const series = new Map<string, number>(isLabelled ? [] : [["", 0]]);
  return {
    add(amount = 1, labels = {}) {
      const key = formatLabels(labels);
      if (Number.isFinite(amount)) series.set(key, (series.get(key) ?? 0) + amount);
    },
    text: () =>
      `${head(name, "counter", about)}${[...series].map(([key, count]) => `${name}${key} ${count}\n`).join("")}`,
  };
}

type Series = { readonly labels: Labels; readonly counts: number[]; sum: number; count: number };

/** A value above the last bound is counted in +Inf. */
export function createHistogram(
  name: string,
  about: string,
  bounds: readonly number[],
  { isLabelled = false } = {},
): Histogram {
  const newSeries = (labels: Labels): Series => ({ labels, counts: bounds.map(() => 0), sum: 0, count: 0 });
  const all = new Map<string, Series>(isLabelled ? [] : [["", newSeries({})]]);
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
    text: () =>
      `${head(name, "histogram", about)}${[...all.values()].map((each) => writeSeries(name, bounds, each)).join("")}`,
  };
}

function writeSeries(name: string, bounds: readonly number[], { labels, counts, sum, count }: Series): string {
  const bucket = (le: string, value: number) => `${name}_bucket${formatLabels({ ...labels, le })} ${value}\n`;
  const buckets = bounds.map((bound, index) => bucket(String(bound), counts[index] ?? 0));
  const key = formatLabels(labels);
  return `${buckets.join("")}${bucket("+Inf", count)}${name}_sum${key} ${sum}\n${name}_count${key} ${count}\n`;
}

/** The lines that say what a metric is. */
export const head = (name: string, type: string, about: string): string =>
  `# HELP ${name} ${about}\n# TYPE ${name} ${type}\n`;

function formatLabels(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escapeValue(value)}"`);
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
}

/** A tool or client may have any name. */
const escapeValue = (value: string): string =>
  value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n").replaceAll("\r", " ");
