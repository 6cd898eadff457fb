/** What the server counts about its requests, in the Prometheus text format. */

/** Upper bounds of the buckets of latency, in seconds. A longer request falls into +Inf. */
const secondBounds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

export type Gauges = Readonly<Record<string, { readonly about: string; readonly value: number }>>;

export interface ServeMetrics {
  /** Counts an answered request. `route` is one of ours, never what a client sent. */
  add(route: string, status: number, seconds: number): void;
  prometheus(gauges: Gauges): string;
}

export function createServeMetrics(): ServeMetrics {
  const requests = new Map<string, number>();
  const latencies = new Map<string, { counts: number[]; count: number; sum: number }>();
  return {
    add(route, status, seconds) {
      const key = `route="${route}",status="${status}"`;
      requests.set(key, (requests.get(key) ?? 0) + 1);
      const latency = latencies.get(route) ?? { counts: secondBounds.map(() => 0), count: 0, sum: 0 };
      latency.count++;
      latency.sum += seconds;
      latency.counts = latency.counts.map((count, index) =>
        seconds <= (secondBounds[index] ?? 0) ? count + 1 : count,
      );
      latencies.set(route, latency);
    },
    prometheus(gauges) {
      return [
        ...head("spillway_http_requests_total", "counter", "Requests answered, by route and status."),
        ...[...requests].map(([labels, count]) => `spillway_http_requests_total{${labels}} ${count}`),
        ...head("spillway_http_request_seconds", "histogram", "Time from a request to the end of its answer."),
        ...[...latencies].flatMap(([route, latency]) => writeLatency(route, latency)),
        ...Object.entries(gauges).flatMap(([name, { about, value }]) => [
          ...head(name, "gauge", about),
          `${name} ${value}`,
        ]),
        "",
      ].join("\n");
    },
  };
}

const head = (name: string, type: string, about: string): string[] => [
  `# HELP ${name} ${about}`,
  `# TYPE ${name} ${type}`,
];

type Latency = { readonly counts: readonly number[]; readonly count: number; readonly sum: number };

function writeLatency(route: string, { counts, count, sum }: Latency): string[] {
  const name = "spillway_http_request_seconds";
  const buckets = secondBounds.map((bound, index) => `${name}_bucket{route="${route}",le="${bound}"} ${counts[index]}`);
  return [
    ...buckets,
    `${name}_bucket{route="${route}",le="+Inf"} ${count}`,
    `${name}_sum{route="${route}"} ${sum}`,
    `${name}_count{route="${route}"} ${count}`,
  ];
}
