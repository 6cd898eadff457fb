/** Spans: pieces of work, each with its place in a trace. Only types: the code is loaded where OTLP is configured. */

export type Attributes = Readonly<Record<string, string | number | boolean | null | undefined>>;

/** What a span is. Its attributes never hold content, a path, a query or a key, because spans leave the machine. */
export type SpanStart = {
  readonly name: string;
  /** Who did the work: `server` answers a request, `client` sends one. Default: `internal`. */
  readonly kind?: "internal" | "server" | "client";
  readonly attributes?: Attributes;
  /** Holds the `traceparent` and `tracestate` of the caller: `_meta` of an MCP request, or the headers of an HTTP one. */
  readonly carrier?: unknown;
};

export type Span = {
  /** Adds attributes. With `error.type` the span counts as failed. */
  set(attributes: Attributes): void;
};

/** Runs work as a span, inside of the one that is running. Where nothing is exported, `start` is not called. */
export type Trace = <T>(start: () => SpanStart, work: (span: Span) => Promise<T>) => Promise<T>;
