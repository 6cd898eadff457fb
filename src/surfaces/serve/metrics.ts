/** What the server counts about its requests. */
import { createCounter, createHistogram, type MetricReading } from "../../telemetry/prometheus.ts";

/** Upper bounds of the buckets of latency, in seconds. A longer request falls into +Inf. */
const secondBounds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

export type Gauges = Readonly<Record<string, { readonly about: string; readonly value: number }>>;

export interface ServeMetrics {
  /** Counts an answered request. `route` is one of ours, never what a client sent. */
  add(route: string, status: number, seconds: number): void;
  read(gauges: Gauges): MetricReading[];
}

const labelled = { isLabelled: true };

export function createServeMetrics(): ServeMetrics {
  const requests = createCounter("spillway_http_requests_total", "Requests answered, by route and status.", labelled);
  const latencies = createHistogram(
    "spillway_http_request_seconds",
    "Time from a request to the end of its answer.",
    secondBounds,
    labelled,
  );
  return {
    add(route, status, seconds) {
      requests.add(1, { route, status: String(status) });
      latencies.observe(seconds, { route });
    },
    read: (gauges) => [...requests.read(), ...latencies.read(), ...Object.entries(gauges).map(toReading)],
  };
}

const toReading = ([name, { about, value }]: [string, Gauges[string]]): MetricReading => ({
  type: "gauge",
  name,
  about,
  series: [{ labels: {}, value }],
});
