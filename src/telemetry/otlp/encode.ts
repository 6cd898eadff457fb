/** OTLP as JSON: 64-bit numbers are decimal strings, ids are hexadecimal. */
import { version } from "../../version.ts";
import type { MetricReading } from "../prometheus.ts";
import type { FinishedSpan } from "./tracer.ts";

/** Who sends: `service.name` and the like. */
export type Resource = Readonly<Record<string, string | number | boolean>>;

const scope = { name: "spillway", version };

const kinds = { internal: 1, server: 2, client: 3 } as const;

const ERROR_STATUS = 2;

/** Totals since the start of the process, not differences. */
const CUMULATIVE = 2;

/** Set where the parent is in another process. */
const SAMPLED_FLAG = 1;

export function encodeSpans(resource: Resource, spans: readonly FinishedSpan[]): string {
  return JSON.stringify({
    resourceSpans: [
      {
        resource: { attributes: toAttributes(resource) },
        scopeSpans: [{ scope, spans: spans.map(toSpan) }],
      },
    ],
  });
}

function toSpan({ context, parentSpanId, name, kind, startMs, endMs, attributes }: FinishedSpan): object {
  return {
    traceId: context.traceId,
    spanId: context.spanId,
    ...(context.traceState !== undefined && { traceState: context.traceState }),
    ...(parentSpanId !== undefined && { parentSpanId }),
    flags: SAMPLED_FLAG,
    name,
    kind: kinds[kind],
    startTimeUnixNano: toNanos(startMs),
    endTimeUnixNano: toNanos(endMs),
    attributes: toAttributes(attributes),
    status: "error.type" in attributes ? { code: ERROR_STATUS } : {},
  };
}

export type MetricTimes = { readonly startMs: number; readonly nowMs: number };

export function encodeMetrics(resource: Resource, readings: readonly MetricReading[], times: MetricTimes): string {
  return JSON.stringify({
    resourceMetrics: [
      {
        resource: { attributes: toAttributes(resource) },
        scopeMetrics: [{ scope, metrics: readings.filter(hasSeries).map((reading) => toMetric(reading, times)) }],
      },
    ],
  });
}

const hasSeries = ({ series }: MetricReading): boolean => series.length > 0;

function toMetric(reading: MetricReading, { startMs, nowMs }: MetricTimes): object {
  const { name, about: description } = reading;
  const unit = unitOf(name);
  const times = { startTimeUnixNano: toNanos(startMs), timeUnixNano: toNanos(nowMs) };
  if (reading.type === "histogram") {
    const dataPoints = reading.series.map(({ labels, counts, sum, count }) => ({
      ...{ attributes: toAttributes(labels), ...times, count: String(count), sum },
      bucketCounts: toBuckets(counts, count),
      explicitBounds: reading.bounds,
    }));
    return { name, description, unit, histogram: { dataPoints, aggregationTemporality: CUMULATIVE } };
  }
  const dataPoints = reading.series.map(({ labels, value }) => ({
    ...{ attributes: toAttributes(labels), ...times, asDouble: value },
  }));
  if (reading.type === "gauge") return { name, description, unit, gauge: { dataPoints } };
  return { name, description, unit, sum: { dataPoints, aggregationTemporality: CUMULATIVE, isMonotonic: true } };
}

/** Ours hold all values up to a bound, those of OTLP only the ones above the bound before. */
function toBuckets(counts: readonly number[], count: number): string[] {
  return [...counts, count].map((each, index) => String(each - (counts[index - 1] ?? 0)));
}

/** In UCUM, where the name says it. */
function unitOf(name: string): string {
  if (/_seconds$|\.duration$/.test(name)) return "s";
  return /_bytes(_|$)/.test(name) ? "By" : "";
}

function toAttributes(values: Resource): object[] {
  return Object.entries(values).map(([key, value]) => ({ key, value: toValue(value) }));
}

function toValue(value: string | number | boolean): object {
  if (typeof value === "string") return { stringValue: value };
  if (typeof value === "boolean") return { boolValue: value };
  return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value };
}

/** Through microseconds: a double cannot hold nanoseconds since 1970. */
const toNanos = (ms: number): string => String(BigInt(Math.round(ms * 1_000)) * 1_000n);
