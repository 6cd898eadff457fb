/** Prometheus counters and histograms of this process, updated by its events. */
import type { Event, EventFields } from "./events.ts";

/** Bucket bounds of shares; a value above the last falls into +Inf. */
const shareBounds = [0.1, 0.25, 0.5, 0.7, 0.8, 0.9, 1] as const;

export type Metrics = ReturnType<typeof createMetrics>;

/** An empty set of metrics. */
export function createMetrics() {
  const truncated = createCounter("spillway_search_truncated_total", "Searches whose results were cut to fit.");
  const utilization = createHistogram(
    "spillway_search_utilization_ratio",
    "Share of the allowed characters that a search reply fills.",
  );
  const truncation = createHistogram(
    "spillway_search_truncation_ratio",
    "Share of the results found that a search left out to fit.",
  );

  function addSearch(search: EventFields["search.completed"]): void {
    if (search.truncated) truncated.add();
    if (search.limit_chars > 0) utilization.observe(search.actual_chars / search.limit_chars);
    const dropped = search.original_count - search.returned_count;
    truncation.observe(search.original_count === 0 ? 0 : dropped / search.original_count);
  }

  return {
    add(event: Event): void {
      if (event.event === "search.completed") addSearch(event);
    },
    /** The text exposition format. */
    prometheus: (): string => [truncated, utilization, truncation].map((metric) => metric.text()).join(""),
  };
}

/** The metrics of this process. */
export const metrics: Metrics = createMetrics();

function createCounter(name: string, about: string) {
  let count = 0;
  return {
    add(): void {
      count += 1;
    },
    text: () => `# HELP ${name} ${about}\n# TYPE ${name} counter\n${name} ${count}\n`,
  };
}

function createHistogram(name: string, about: string) {
  const counts = shareBounds.map(() => 0);
  let [sum, count] = [0, 0];
  return {
    observe(value: number): void {
      if (!Number.isFinite(value)) return;
      sum += value;
      count += 1;
      for (const [index, bound] of shareBounds.entries()) if (value <= bound) counts[index] = (counts[index] ?? 0) + 1;
    },
    text(): string {
      const buckets = shareBounds.map((bound, index) => `${name}_bucket{le="${bound}"} ${counts[index]}\n`);
      const average = count === 0 ? 0 : sum / count;
      return (
        `# HELP ${name} ${about}\n# TYPE ${name} histogram\n${buckets.join("")}` +
        `${name}_bucket{le="+Inf"} ${count}\n${name}_sum ${sum}\n${name}_count ${count}\n` +
        `# HELP ${name}_average Mean of ${name}.\n# TYPE ${name}_average gauge\n${name}_average ${average}\n`
      );
    },
  };
}
