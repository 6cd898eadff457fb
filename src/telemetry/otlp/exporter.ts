/** Exports spans and metrics in the background. What a collector does not take in time is dropped, never waited for. */
import type { MetricReading } from "../prometheus.ts";
import { encodeMetrics, encodeSpans } from "./encode.ts";
import type { OtlpOptions } from "./otlp-options.ts";
import { createSignalSender, type ExportProblem, type Post } from "./signal-sender.ts";
import type { FinishedSpan } from "./tracer.ts";

export type ExporterOptions = OtlpOptions & {
  readonly post: Post;
  readMetrics(): readonly MetricReading[];
  report(problem: ExportProblem & { readonly dropped_spans: number }): void;
  /** How long closing waits for the collector. */
  readonly closeMs?: number;
  readonly now?: () => number;
};

export type Exporter = {
  add(span: FinishedSpan): void;
  /** Sends what is left, within a short time. */
  close(): Promise<void>;
};

/** A command has answered by then, and its user waits for the prompt. */
const CLOSE_MS = 2_000;

export function createExporter(options: ExporterOptions): Exporter {
  const { traces, metrics, resource, now = Date.now, closeMs = CLOSE_MS } = options;
  const startMs = performance.timeOrigin;
  let queue: FinishedSpan[] = [];
  let droppedSpans = 0;
  let timer: NodeJS.Timeout | undefined;
  const report = (problem: ExportProblem) => options.report({ ...problem, dropped_spans: droppedSpans });
  const common = { post: options.post, timeoutMs: options.timeoutMs, now, report };
  const spanSender = traces && createSignalSender({ ...common, signal: "traces", target: traces });
  const metricSender = metrics && createSignalSender({ ...common, signal: "metrics", target: metrics });

  async function sendSpans(ending?: AbortSignal): Promise<void> {
    while (spanSender !== undefined && queue.length > 0 && !ending?.aborted) {
      const batch = queue.slice(0, options.maxBatchSpans);
      queue = queue.slice(batch.length);
      const outcome = await spanSender.send(encodeSpans(resource, batch), ending);
      if (outcome === "refused") droppedSpans += batch.length;
      if (outcome === "later") return putBack(batch);
    }
  }

  /** Spans that ended meanwhile may have filled the queue: the oldest are dropped. */
  function putBack(batch: readonly FinishedSpan[]): void {
    const all = [...batch, ...queue];
    queue = all.slice(Math.max(0, all.length - options.maxQueuedSpans));
    droppedSpans += all.length - queue.length;
  }

  async function sendMetrics(ending?: AbortSignal): Promise<void> {
    const times = { startMs, nowMs: now() };
    await metricSender?.send(encodeMetrics(resource, options.readMetrics(), times), ending);
  }

  const flushSpans = createSingleFlight(sendSpans);
  const flushMetrics = createSingleFlight(sendMetrics);

  function schedule(delayMs: number): void {
    timer ??= setTimeout(() => {
      timer = undefined;
      if (spanSender?.isWaiting()) return schedule(options.spanDelayMs);
      void flushSpans().then(() => queue.length > 0 && schedule(options.spanDelayMs));
    }, delayMs).unref();
  }

  const interval = setInterval(() => {
    if (metricSender !== undefined && !metricSender.isWaiting()) void flushMetrics();
  }, options.metricIntervalMs).unref();

  return {
    add(span) {
      if (spanSender === undefined || !span.context.isSampled) return;
      if (queue.length >= options.maxQueuedSpans) {
        droppedSpans++;
        return;
      }
      queue.push(span);
      schedule(options.spanDelayMs);
      if (queue.length >= options.maxBatchSpans && !spanSender.isWaiting()) void flushSpans();
    },
    async close() {
      clearTimeout(timer);
      clearInterval(interval);
      const ending = AbortSignal.timeout(closeMs);
      const finished = Promise.all([flushSpans(ending), flushMetrics(ending)]);
      await Promise.race([finished, aborted(ending)]);
    },
  };
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));

/** One run at a time: a call during a run waits for it, and then runs again if it is the last one. */
function createSingleFlight(work: (ending?: AbortSignal) => Promise<void>): (ending?: AbortSignal) => Promise<void> {
  let running: Promise<void> | undefined;
  return async (ending) => {
    if (running !== undefined && ending === undefined) return running;
    const before = running;
    running = Promise.resolve(before)
      .then(() => work(ending))
      .finally(() => {
        running = undefined;
      });
    return running;
  };
}
