/** An OpenTelemetry collector for tests: takes OTLP as JSON over HTTP, and checks what the protocol asks for. */
import assert from "node:assert/strict";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { MetricReading } from "../src/telemetry/prometheus.ts";
import { startServer } from "./server.ts";

type Value = { stringValue?: string; boolValue?: boolean; intValue?: string; doubleValue?: number };
type Attribute = { readonly key: string; readonly value: Value };

export type ReceivedSpan = {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly traceState?: string;
  readonly name: string;
  readonly kind: number;
  readonly status: { readonly code?: number };
  readonly attributes: Readonly<Record<string, unknown>>;
};

type DataPoint = {
  readonly attributes: readonly Attribute[];
  readonly startTimeUnixNano: string;
  readonly timeUnixNano: string;
  readonly asDouble?: number;
  readonly count?: string;
  readonly sum?: number;
  readonly bucketCounts?: readonly string[];
  readonly explicitBounds?: readonly number[];
};

type Points = { readonly dataPoints: readonly DataPoint[]; readonly aggregationTemporality?: number };

type ReceivedMetric = {
  readonly name: string;
  readonly description: string;
  readonly sum?: Points & { readonly isMonotonic: boolean };
  readonly gauge?: Points;
  readonly histogram?: Points;
};

export type CollectorOptions = {
  /** Answers in another way; returns whether it did. */
  readonly answer?: (request: IncomingMessage, response: ServerResponse) => boolean;
};

/** Listens until it is disposed. */
export async function startCollector({ answer = () => false }: CollectorOptions = {}) {
  const spans: ReceivedSpan[] = [];
  const bodies: string[] = [];
  const faults: unknown[] = [];
  let metrics: readonly MetricReading[] = [];
  let resource: Readonly<Record<string, unknown>> = {};

  function take(path: string | undefined, body: string): void {
    const json = JSON.parse(body);
    const [received] = json.resourceSpans ?? json.resourceMetrics;
    resource = readAttributes(received.resource.attributes);
    if (path === "/v1/traces") spans.push(...received.scopeSpans[0].spans.map(readSpan));
    else metrics = received.scopeMetrics[0].metrics.map(readMetric);
  }

  const server = await startServer(async (request, response) => {
    const body = Buffer.concat(await Array.fromAsync<Buffer>(request).catch(() => [])).toString();
    bodies.push(body);
    if (answer(request, response)) return;
    try {
      assert.equal(request.method, "POST");
      assert.equal(request.headers["content-type"], "application/json");
      take(request.url, body);
    } catch (error) {
      faults.push(error);
    }
    response.writeHead(200, { "content-type": "application/json" }).end("{}");
  });
  return {
    ...server,
    spans,
    /** Every body as it was received. */
    bodies,
    /** The metrics of the last export. */
    metrics: () => metrics,
    resource: () => resource,
    find: (name: string): ReceivedSpan => spans.find((span) => span.name === name) ?? assert.fail(`no span ${name}`),
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      assert.deepEqual(faults, []);
    },
  };
}

function readSpan(span: ReceivedSpan & Record<string, unknown>): ReceivedSpan {
  assert.match(span.traceId, /^[0-9a-f]{32}$/);
  assert.match(span.spanId, /^[0-9a-f]{16}$/);
  assert.match(span.parentSpanId ?? "0".repeat(16), /^[0-9a-f]{16}$/);
  assert.ok([1, 2, 3].includes(span.kind));
  const [start, end] = [readTime(span.startTimeUnixNano), readTime(span.endTimeUnixNano)];
  assert.ok(start <= end);
  const attributes = readAttributes(span.attributes as unknown as readonly Attribute[]);
  assert.equal(span.status.code === 2, "error.type" in attributes, "a failed span says why");
  return { ...span, attributes };
}

/** Nanoseconds since 1970, as a decimal string because no double can hold them. */
function readTime(text: unknown): bigint {
  assert.equal(typeof text, "string");
  const time = BigInt(String(text));
  assert.ok(time > 1_700_000_000_000_000_000n && time < 4_000_000_000_000_000_000n, `${text}`);
  return time;
}

function readAttributes(attributes: readonly Attribute[]): Record<string, string | number | boolean> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, readValue(value)]));
}

function readValue({ stringValue, boolValue, intValue, doubleValue }: Value): string | number | boolean {
  if (intValue !== undefined) assert.match(intValue, /^-?\d+$/);
  return stringValue ?? boolValue ?? doubleValue ?? Number(intValue ?? assert.fail("a value without a type"));
}

/** The metric as Prometheus would show it. */
function readMetric({ name, description: about, sum, gauge, histogram }: ReceivedMetric): MetricReading {
  const { dataPoints, aggregationTemporality } = sum ?? gauge ?? histogram ?? assert.fail(`${name} has no points`);
  assert.equal(aggregationTemporality, gauge === undefined ? 2 : undefined);
  for (const point of dataPoints) assert.ok(readTime(point.startTimeUnixNano) <= readTime(point.timeUnixNano));
  if (histogram === undefined) {
    const type = gauge === undefined ? "counter" : "gauge";
    if (sum !== undefined) assert.equal(sum.isMonotonic, true);
    const series = dataPoints.map((point) => ({ labels: readLabels(point), value: Number(point.asDouble) }));
    return { type, name, about, series };
  }
  const bounds = dataPoints[0]?.explicitBounds ?? [];
  return { type: "histogram", name, about, bounds, series: dataPoints.map(readHistogram) };
}

function readHistogram(point: DataPoint) {
  const buckets = (point.bucketCounts ?? []).map(Number);
  const counts = buckets.map((_, index) => buckets.slice(0, index + 1).reduce((all, each) => all + each, 0));
  assert.equal(counts.pop(), Number(point.count), "the buckets add up");
  assert.equal(counts.length, point.explicitBounds?.length);
  return { labels: readLabels(point), counts, sum: point.sum ?? 0, count: Number(point.count) };
}

const readLabels = ({ attributes }: DataPoint): Record<string, string> =>
  Object.fromEntries(Object.entries(readAttributes(attributes)).map(([name, value]) => [name, String(value)]));
