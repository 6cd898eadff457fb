import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { SpillwayError } from "../../errors.ts";
import { createExporter, type ExporterOptions } from "./exporter.ts";
import { readOtlpOptions } from "./otlp-options.ts";
import type { PostResult } from "./signal-sender.ts";
import { createSpanDurations } from "./span-durations.ts";
import { readTraceContext } from "./trace-context.ts";
import { createTracer, type FinishedSpan } from "./tracer.ts";

const [traceId, spanId] = ["4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"];

describe("the trace context of a caller", () => {
  test("is read as the recommendation says", () => {
    const read = (traceparent: unknown, tracestate?: unknown) => readTraceContext({ traceparent, tracestate });
    const context = { traceId, spanId, isSampled: true, traceState: undefined };
    assert.deepEqual(read(`00-${traceId}-${spanId}-01`), context);
    assert.deepEqual(read(`00-${traceId}-${spanId}-00`), { ...context, isSampled: false });
    assert.deepEqual(read(`cc-${traceId}-${spanId}-01-later`), context, "a later version may have more");
    assert.deepEqual(read(`00-${traceId}-${spanId}-01`, ["a=1", "b=2"])?.traceState, "a=1,b=2");
    for (const state of ["", "a=1\nb", "x".repeat(513), 4])
      assert.equal(read(`00-${traceId}-${spanId}-01`, state)?.traceState, undefined);
  });

  test("is ignored where it is not valid", () => {
    const invalid = [
      ...["", "nonsense", `00-${traceId}-${spanId}`, `ff-${traceId}-${spanId}-01`, `00-${traceId}-${spanId}-01-more`],
      ...[`00-${"0".repeat(32)}-${spanId}-01`, `00-${traceId}-${"0".repeat(16)}-01`],
      ...[`00-${traceId.toUpperCase()}-${spanId}-01`, 4, null, {}],
    ];
    for (const traceparent of invalid) assert.equal(readTraceContext({ traceparent }), undefined);
    for (const carrier of [undefined, null, "text", 4, []]) assert.equal(readTraceContext(carrier), undefined);
  });
});

describe("spans", () => {
  function openTracer() {
    const spans: FinishedSpan[] = [];
    return { spans, trace: createTracer({ onEnd: (span) => void spans.push(span) }) };
  }

  test("begin inside of the one that is running, also where several run at once", async () => {
    const { spans, trace } = openTracer();
    await Promise.all(
      ["a", "b"].map((name) =>
        trace(
          () => ({ name }),
          async () => {
            await Promise.resolve();
            await trace(
              () => ({ name: `${name}1` }),
              async () => undefined,
            );
          },
        ),
      ),
    );
    const find = (name: string) => spans.find((span) => span.name === name) ?? assert.fail(name);
    for (const name of ["a", "b"]) {
      assert.equal(find(`${name}1`).parentSpanId, find(name).context.spanId);
      assert.equal(find(`${name}1`).context.traceId, find(name).context.traceId);
    }
    assert.notEqual(find("a").context.traceId, find("b").context.traceId);
  });

  test("keep the kind of an error and not its words, and pass it on", async () => {
    const { spans, trace } = openTracer();
    const cases = [
      [new SpillwayError("usage", "a secret", { hint: "none" }), "usage"],
      [new TypeError("a secret"), "TypeError"],
      ["a secret", "_OTHER"],
    ] as const;
    for (const [error] of cases) {
      const work = trace(
        () => ({ name: "work" }),
        () => Promise.reject(error),
      );
      await assert.rejects(work, (thrown) => thrown === error);
    }
    assert.deepEqual(
      spans.map(({ attributes }) => attributes),
      cases.map(([, type]) => ({ "error.type": type })),
    );
  });

  test("have short attributes on one line, and none without a value", async () => {
    const { spans, trace } = openTracer();
    const attributes = { long: "x".repeat(5_000), line: "a\nb", none: null, not: undefined, nan: Number.NaN, zero: 0 };
    await trace(
      () => ({ name: "y".repeat(5_000), attributes }),
      async () => undefined,
    );
    const [span] = spans;
    assert.deepEqual(Object.keys(span?.attributes ?? {}), ["long", "line", "zero"]);
    assert.ok(String(span?.attributes.long).length <= 200 && (span?.name.length ?? 999) <= 200);
    assert.equal(span?.attributes.line, "a b");
  });
});

const makeSpan = (name = "work", attributes: FinishedSpan["attributes"] = {}): FinishedSpan => ({
  context: { traceId, spanId, isSampled: true },
  parentSpanId: undefined,
  ...{ name, kind: "client", startMs: 1_000, endMs: 3_000, attributes },
});

test("durations of model calls are counted by what the conventions name, for a limited number of models", () => {
  const durations = createSpanDurations();
  for (let count = 0; count < 1_000; count++)
    durations.add(makeSpan("chat", { "gen_ai.operation.name": "chat", "gen_ai.request.model": `model ${count}` }));
  durations.add(makeSpan("fetch"));
  const series = durations.read().flatMap((reading) => [...reading.series]);
  assert.equal(series.length, 500);
  assert.deepEqual(series[0], {
    labels: { "gen_ai.operation.name": "chat", "gen_ai.request.model": "model 0" },
    counts: [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1],
    sum: 2,
    count: 1,
  });
});

describe("where OTLP is sent", () => {
  const settings = { "otel.endpoint": null, "otel.signals": "both" } as const;
  const read = (env: Record<string, string>, more: object = {}) =>
    readOtlpOptions({ ...settings, ...more }, env).options;
  const urls = (env: Record<string, string>, more: object = {}) => {
    const { traces, metrics } = read(env, more);
    return [traces?.url, metrics?.url];
  };
  const base = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://c.example:4318/" };
  const both = ["http://c.example:4318/v1/traces", "http://c.example:4318/v1/metrics"];

  test("is what the standard variables and the settings name", () => {
    assert.deepEqual(urls(base), both);
    assert.deepEqual(urls({ OTEL_EXPORTER_OTLP_ENDPOINT: "https://c.example/otlp" }), [
      "https://c.example/otlp/v1/traces",
      "https://c.example/otlp/v1/metrics",
    ]);
    const exact = { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "http://t.example/in" };
    assert.deepEqual(urls(exact), ["http://t.example/in", undefined]);
    assert.deepEqual(urls({ ...base, ...exact }), ["http://t.example/in", both[1]]);
    assert.deepEqual(urls(exact, { "otel.endpoint": "http://c.example:4318" }), both, "the setting wins");
    assert.deepEqual(urls({}), [undefined, undefined]);
  });

  test("is nowhere for what is switched off", () => {
    assert.deepEqual(urls(base, { "otel.signals": "none" }), [undefined, undefined]);
    assert.deepEqual(urls(base, { "otel.signals": "traces" }), [both[0], undefined]);
    assert.deepEqual(urls({ ...base, OTEL_SDK_DISABLED: "TRUE" }), [undefined, undefined]);
    assert.deepEqual(urls({ ...base, OTEL_METRICS_EXPORTER: "none" }), [both[0], undefined]);
    assert.deepEqual(urls({ ...base, OTEL_EXPORTER_OTLP_METRICS_PROTOCOL: "grpc" }), [both[0], undefined]);
  });

  test("has the headers of the variables, and no password in its address", () => {
    const { traces, metrics } = read({
      ...base,
      OTEL_EXPORTER_OTLP_ENDPOINT: "http://ann:p%40ss@c.example",
      OTEL_EXPORTER_OTLP_HEADERS: "a=1, b=x%20y ,c=100%,=4,d",
      OTEL_EXPORTER_OTLP_METRICS_HEADERS: "a=2",
    });
    const authorization = `Basic ${Buffer.from("ann:p@ss").toString("base64")}`;
    assert.deepEqual(traces, {
      url: "http://c.example/v1/traces",
      headers: { authorization, a: "1", b: "x y", c: "100%" },
    });
    assert.equal(metrics?.headers.a, "2");
    assert.equal(read({ ...base, OTEL_EXPORTER_OTLP_HEADERS: "a=x%0d%0ay" }).traces, undefined, "a header is one line");
  });

  test("takes no number that is not one", () => {
    for (const text of ["", "0", "-1", "soon", "1e400"])
      assert.equal(read({ ...base, OTEL_BSP_SCHEDULE_DELAY: text }).spanDelayMs, 5_000);
    assert.equal(read({ ...base, OTEL_BSP_MAX_QUEUE_SIZE: "10" }).maxBatchSpans, 10);
  });
});

describe("the exporter", () => {
  /** An exporter with a clock of its own, whose collector answers what the test chooses. */
  function openExporter(answer: (json: string) => Promise<PostResult>, more: Partial<ExporterOptions> = {}) {
    const problems: string[] = [];
    const sent: string[][] = [];
    const clock = { ms: 0 };
    const exporter = createExporter({
      ...readOtlpOptions({ "otel.endpoint": "http://c.example", "otel.signals": "traces" }, {}).options,
      post(_, json) {
        sent.push([...json.matchAll(/"name":"(s\d+)"/g)].map(([, name]) => name ?? ""));
        return answer(json);
      },
      readMetrics: () => [],
      report: ({ code, dropped_spans }) => void problems.push(`${code} ${dropped_spans}`),
      now: () => clock.ms,
      closeMs: 20,
      ...{ maxQueuedSpans: 10, maxBatchSpans: 4, ...more },
    });
    return {
      ...{ exporter, problems, sent, clock },
      add: (count: number) => {
        for (let index = 0; index < count; index++) exporter.add(makeSpan(`s${index}`));
      },
    };
  }

  const accept = async (): Promise<PostResult> => ({ status: 200, text: "{}" });

  test("sends a full batch at once and the rest at the end", async () => {
    const { exporter, add, sent } = openExporter(accept);
    add(6);
    await exporter.close();
    assert.deepEqual(sent.flat(), ["s0", "s1", "s2", "s3", "s4", "s5"]);
    assert.ok(sent.every((batch) => batch.length <= 4));
  });

  test("holds a limited number of spans while a collector is slow", async () => {
    const { exporter, add, sent } = openExporter(() => new Promise(() => undefined));
    add(1_000);
    await exporter.close();
    assert.ok(sent.flat().length <= 4, "one request is open, and no other is sent");
  });

  test("reports a collector once until it answers again, and keeps what can be sent later", async () => {
    let status = 503;
    const { exporter, add, problems, sent, clock } = openExporter(async () => ({ status, text: "" }));
    const settle = () => new Promise((resolve) => setImmediate(resolve));
    add(4);
    await settle();
    add(4);
    await settle();
    assert.deepEqual([sent.length, problems], [1, ["503 0"]], "nothing is sent while it waits");
    clock.ms += 10_000;
    add(1);
    await settle();
    assert.deepEqual([sent.length, problems.length], [2, 1]);
    status = 200;
    clock.ms += 10_000;
    add(1);
    await exporter.close();
    assert.equal(new Set(sent.slice(2).flat()).size, 4);
    assert.deepEqual(problems, ["503 0"]);
  });

  test("drops what a collector refuses for good, and says how much", async () => {
    const { exporter, add, problems, sent } = openExporter(async () => ({ status: 400, text: "" }));
    add(5);
    await exporter.close();
    assert.deepEqual(problems, ["400 0"]);
    assert.equal(sent.flat().length, 5, "nothing is sent twice");
  });

  test("reports what a collector rejects although it answers", async () => {
    const text = '{"partialSuccess":{"rejectedSpans":"2","errorMessage":"no"}}';
    const { exporter, add, problems } = openExporter(async () => ({ status: 200, text }));
    add(2);
    await exporter.close();
    assert.deepEqual(problems, ["rejected 0"]);
  });

  test("takes a collector that cannot be reached as one that answers later", async () => {
    const cause = Object.assign(new Error("connect"), { code: "ECONNREFUSED" });
    const { exporter, add, problems } = openExporter(() => Promise.reject(new Error("failed", { cause })));
    add(1);
    await exporter.close();
    assert.deepEqual(problems, ["ECONNREFUSED 0"]);
  });
});
