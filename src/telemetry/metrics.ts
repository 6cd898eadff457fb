/** Prometheus counters and histograms of this process, moved by its events. */
import type { CallOrigin, Event, EventFields } from "./events.ts";
import { createCounter, createHistogram, type MetricReading, writeText } from "./prometheus.ts";
import { countSavedTokens, countUsage } from "./usage.ts";

/** Bucket bounds of shares; a value above the last falls into +Inf. */
const shareBounds = [0.1, 0.25, 0.5, 0.7, 0.8, 0.9, 1];
const secondBounds = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
const readBounds = [1, 2, 3, 5, 10, 20, 50];

/** Artifacts whose reads are counted one by one; of more, those that were read longest ago start again. */
const MAX_COUNTED_REFS = 10_000;

const labelled = { isLabelled: true };

export type Metrics = ReturnType<typeof createMetrics>;

/** An empty set of metrics. */
export function createMetrics() {
  const all = {
    bytesIn: createCounter("spillway_bytes_in_total", "Bytes of the sources fetched, without cache hits."),
    bytesOut: createCounter("spillway_bytes_out_total", "Bytes of the text of tool replies."),
    charsExtracted: createCounter("spillway_chars_extracted_total", "Characters extracted from sources."),
    charsKeptOut: createCounter(
      "spillway_chars_kept_out_total",
      "Characters that were extracted or returned by a wrapped server, and left out of the reply.",
    ),
    replies: createCounter("spillway_replies_total", "Replies of tools, by client and by what bound them.", labelled),
    utilization: createHistogram(
      "spillway_reply_utilization_ratio",
      "Share of the allowed characters that a reply's text fills.",
      shareBounds,
      labelled,
    ),
    callSeconds: createHistogram("spillway_call_seconds", "Wall time of tool calls.", secondBounds, labelled),
    answers: createCounter(
      "spillway_answers_total",
      "Fetches, reads, searches and results of wrapped servers, by whether they were truncated.",
      labelled,
    ),
    fetches: createCounter("spillway_fetches_total", "Sources fetched, by whether the cache answered.", labelled),
    fetchSeconds: createHistogram("spillway_fetch_seconds", "Wall time of fetches.", secondBounds),
    readsPerRef: createHistogram(
      "spillway_reads_per_ref",
      "For each read of an artifact, which read of that artifact it is in this process.",
      readBounds,
    ),
    readChars: createCounter("spillway_read_chars_total", "Characters that reads of artifacts returned."),
    overflows: createCounter(
      "spillway_overflows_total",
      "Requests that were too large, by outcome and class.",
      labelled,
    ),
    tokensSaved: createCounter(
      "spillway_overflow_tokens_saved_total",
      "Tokens that requests were made smaller by, estimated from their bytes.",
    ),
    poolRestarts: createCounter(
      "spillway_pool_restarts_total",
      "Child processes of parsers that were replaced: crashed, stopped or past their limits.",
    ),
    indexJobs: createCounter("spillway_index_jobs_total", "Runs of the code indexer, by status.", labelled),
    indexSeconds: createHistogram("spillway_index_seconds", "Wall time of runs of the code indexer.", secondBounds),
    webSearches: createCounter(
      "spillway_web_searches_total",
      "Requests to web search providers, by outcome.",
      labelled,
    ),
    searchTruncated: createCounter("spillway_search_truncated_total", "Searches whose results were cut to fit."),
    searchUtilization: createAveraged(
      "spillway_search_utilization_ratio",
      "Share of the allowed characters that a search reply fills.",
    ),
    searchTruncation: createAveraged(
      "spillway_search_truncation_ratio",
      "Share of the results found that a search left out to fit.",
    ),
  };
  const countRead = createReadCounts();

  function addFetch({ cached, truncated, size_bytes, extracted_chars, duration_ms }: EventFields["ingest.completed"]) {
    all.fetches.add(1, { cached: String(cached) });
    all.bytesIn.add(cached ? 0 : size_bytes);
    all.charsExtracted.add(extracted_chars);
    all.fetchSeconds.observe(duration_ms / 1_000);
    addAnswer("fetch", truncated);
  }

  function addRead({ artifact_ref, returned_chars, truncated }: EventFields["artifact.read"]): void {
    all.readsPerRef.observe(countRead(artifact_ref));
    all.readChars.add(returned_chars);
    addAnswer("read", truncated);
  }

  function addCall(call: EventFields["tool.called"]): void {
    const { tool, client, bound, text_chars, limit_chars, error } = call;
    all.replies.add(1, { client: client ?? "", tool, bound, outcome: error === null ? "ok" : "error" });
    all.bytesOut.add(call.text_bytes);
    all.callSeconds.observe(call.duration_ms / 1_000, { tool });
    if (limit_chars > 0) all.utilization.observe(text_chars / limit_chars, { client: client ?? "" });
  }

  function addSearch(search: EventFields["search.completed"]): void {
    addAnswer("search", search.truncated);
    if (search.truncated) all.searchTruncated.add();
    if (search.limit_chars > 0) all.searchUtilization.observe(search.actual_chars / search.limit_chars);
    const dropped = search.original_count - search.returned_count;
    all.searchTruncation.observe(search.original_count === 0 ? 0 : dropped / search.original_count);
  }

  function addIndexing({ status, duration_ms }: EventFields["index.completed"]): void {
    all.indexJobs.add(1, { status });
    all.indexSeconds.observe(duration_ms / 1_000);
  }

  function addOverflow(event: Event): void {
    const outcome = event.event.slice("overflow.".length);
    all.overflows.add(1, { outcome, class: "class" in event ? event.class : "" });
    all.tokensSaved.add(countSavedTokens(event));
  }

  const addAnswer = (kind: string, truncated: boolean) => all.answers.add(1, { kind, truncated: String(truncated) });

  const read = (): MetricReading[] => Object.values(all).flatMap((metric) => metric.read());

  return {
    add(event: Event, origin?: CallOrigin): void {
      all.charsKeptOut.add(countUsage(event, origin).chars_kept_out ?? 0);
      if (event.event === "ingest.completed") addFetch(event);
      if (event.event === "artifact.read") addRead(event);
      if (event.event === "tool.called") addCall(event);
      if (event.event === "search.completed") addSearch(event);
      if (event.event === "gateway.bounded") addAnswer("gateway", true);
      if (event.event === "index.completed") addIndexing(event);
      if (event.event === "web.searched")
        all.webSearches.add(1, { provider: event.provider, outcome: event.error === null ? "ok" : "error" });
      if (event.event.startsWith("overflow.")) addOverflow(event);
    },
    /** Children belong to the process and not to a session, so they have no event. */
    addPoolRestart: (): void => all.poolRestarts.add(),
    read,
    /** The text exposition format. */
    prometheus: (): string => writeText(read()),
  };
}

/** The metrics of this process. */
export const metrics: Metrics = createMetrics();

/** Which read of its artifact each read is. */
function createReadCounts(): (ref: string) => number {
  const counts = new Map<string, number>();
  return (ref) => {
    const count = (counts.get(ref) ?? 0) + 1;
    counts.delete(ref);
    counts.set(ref, count);
    const [oldest] = counts.keys();
    if (counts.size > MAX_COUNTED_REFS && oldest !== undefined) counts.delete(oldest);
    return count;
  };
}

/** A histogram of shares with their mean, for readers without a query language. */
function createAveraged(name: string, about: string) {
  const histogram = createHistogram(name, about, shareBounds);
  let [sum, count] = [0, 0];
  return {
    observe(value: number): void {
      if (!Number.isFinite(value)) return;
      histogram.observe(value);
      sum += value;
      count += 1;
    },
    read(): MetricReading[] {
      const mean = { labels: {}, value: count === 0 ? 0 : sum / count };
      return [
        ...histogram.read(),
        { type: "gauge", name: `${name}_average`, about: `Mean of ${name}.`, series: [mean] },
      ];
    },
  };
}
