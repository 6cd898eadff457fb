/** The export of this process. Sessions with the same options share it, because its metrics are those of the process. */
import { metrics } from "../metrics.ts";
import type { MetricReading } from "../prometheus.ts";
import type { Trace } from "../spans.ts";
import { createExporter, type Exporter } from "./exporter.ts";
import type { OtlpOptions } from "./otlp-options.ts";
import type { ExportProblem, Post } from "./signal-sender.ts";
import { createSpanDurations } from "./span-durations.ts";
import { createTracer } from "./tracer.ts";

export type ReportProblem = (problem: ExportProblem & { readonly dropped_spans: number }) => void;

/** Sends JSON, and closes its connections. */
export type Poster = AsyncDisposable & { readonly post: Post };

export type ExportUser = {
  /** Called where this user is the first one: it opens the connections. */
  openPoster(): Poster;
  readonly report: ReportProblem;
};

/** Disposing the last one sends what is left. */
export type OpenExport = AsyncDisposable & {
  readonly trace: Trace;
  /** Adds metrics beside those of the process, until this one is disposed. */
  readonly addSource: (read: ReadMetrics) => void;
};

type ReadMetrics = () => readonly MetricReading[];

type Shared = {
  readonly trace: Trace;
  readonly exporter: Exporter;
  readonly poster: Poster;
  readonly users: Set<User>;
};

type User = ExportUser & { readonly sources: ReadMetrics[] };

const exports = new Map<string, Shared>();

export function openExport(options: OtlpOptions, given: ExportUser): OpenExport {
  const key = JSON.stringify(options);
  const user: User = { ...given, sources: [] };
  const shared = exports.get(key) ?? makeShared(options, user);
  exports.set(key, shared);
  shared.users.add(user);
  return {
    trace: shared.trace,
    addSource: (read) => void user.sources.push(read),
    async [Symbol.asyncDispose]() {
      if (shared.users.size > 1) return void shared.users.delete(user);
      exports.delete(key);
      await shared.exporter.close();
      shared.users.delete(user);
      await shared.poster[Symbol.asyncDispose]();
    },
  };
}

function makeShared(options: OtlpOptions, user: ExportUser): Shared {
  const users = new Set<User>();
  const durations = createSpanDurations();
  const poster = user.openPoster();
  const exporter = createExporter({
    ...options,
    post: poster.post,
    readMetrics: () => [...metrics.read(), ...readSources(users), ...durations.read()],
    // One line for the process: of several sessions, the one that has been open longest reports it.
    report: (problem) => [...users][0]?.report(problem),
  });
  const onEnd: Parameters<typeof createTracer>[0]["onEnd"] = (span) => {
    durations.add(span);
    exporter.add(span);
  };
  return { trace: createTracer({ onEnd }), exporter, poster, users };
}

const readSources = (users: Iterable<User>): MetricReading[] =>
  [...users].flatMap(({ sources }) => sources.flatMap((read) => read()));
