/** The histograms of the semantic conventions for MCP and GenAI, made from spans that have ended. */
import { createHistogram, type Histogram, type Labels, type MetricReading } from "../prometheus.ts";
import type { FinishedSpan } from "./tracer.ts";

/** The bounds that the conventions recommend for MCP, and for model calls. */
const mcpBounds = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300];
const modelBounds = [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92];

const mcpLabels = [
  ...["mcp.method.name", "gen_ai.tool.name", "gen_ai.operation.name", "error.type", "mcp.protocol.version"],
  "network.transport",
];
const modelLabels = [
  ...["gen_ai.operation.name", "gen_ai.provider.name", "gen_ai.request.model", "server.address", "error.type"],
];

/** Models and tools are named by clients: later ones than these are not counted apart. */
const MAX_SERIES = 500;

export type SpanDurations = { add(span: FinishedSpan): void; read(): MetricReading[] };

export function createSpanDurations(): SpanDurations {
  const labelled = { isLabelled: true };
  const server = createHistogram("mcp.server.operation.duration", "Duration of MCP requests.", mcpBounds, labelled);
  const client = createHistogram("mcp.client.operation.duration", "Duration of relayed calls.", mcpBounds, labelled);
  const model = createHistogram("gen_ai.client.operation.duration", "Duration of model calls.", modelBounds, labelled);

  function findHistogram({ kind, attributes }: FinishedSpan): readonly [Histogram, readonly string[]] | undefined {
    if ("mcp.method.name" in attributes) return [kind === "client" ? client : server, mcpLabels];
    return attributes["gen_ai.operation.name"] === "chat" ? [model, modelLabels] : undefined;
  }

  const series = new Set<string>();
  return {
    add(span) {
      const [histogram, names] = findHistogram(span) ?? [];
      if (histogram === undefined || names === undefined) return;
      const labels = pickLabels(span, names);
      const key = JSON.stringify([span.kind, labels]);
      if (!series.has(key) && series.size >= MAX_SERIES) return;
      series.add(key);
      histogram.observe((span.endMs - span.startMs) / 1_000, labels);
    },
    read: () => [server, client, model].flatMap((histogram) => histogram.read()),
  };
}

function pickLabels({ attributes }: FinishedSpan, names: readonly string[]): Labels {
  return Object.fromEntries(names.flatMap((name) => (name in attributes ? [[name, String(attributes[name])]] : [])));
}
