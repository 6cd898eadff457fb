/** The routes of the server: MCP, probes, metrics, signing in and the dashboard. */
import type { ServerResponse } from "node:http";
import type { ArtifactStore } from "../../artifacts/artifact-store.ts";
import { metrics as processMetrics } from "../../telemetry/metrics.ts";
import { type MetricReading, writeText } from "../../telemetry/prometheus.ts";
import { version } from "../../version.ts";
import { type DashboardOptions, dashboardRoutes } from "./dashboard/dashboard-routes.ts";
import type { FairQueue } from "./guard/fair-queue.ts";
import type { LlmService } from "./llm/llm-service.ts";
import type { McpEndpoint } from "./mcp/mcp-endpoint.ts";
import type { Gauges, ServeMetrics } from "./metrics.ts";
import type { Owners } from "./owners.ts";
import type { Route } from "./routes.ts";
import type { WrappedServers } from "./servers/wrapped-servers.ts";
import { createAttemptLimit } from "./sign-in/attempt-limit.ts";
import type { SignIn } from "./sign-in/sign-in.ts";
import { signInRoutes } from "./sign-in/sign-in-routes.ts";

export type RoutesOptions = {
  readonly mcp: McpEndpoint;
  readonly metrics: ServeMetrics;
  readonly queue: FairQueue;
  readonly owners: Owners;
  readonly store: Pick<ArtifactStore, "totals">;
  readonly signIn: SignIn;
  readonly dashboard: DashboardOptions;
  /** Where they are turned on. */
  readonly llm: LlmService | undefined;
  readonly wrapped: WrappedServers | undefined;
  readonly isStopping: () => boolean;
};

export const MCP_PATH = "/mcp";

export function makeRoutes(options: RoutesOptions): Route[] {
  const { mcp } = options;
  return [
    {
      name: "mcp",
      path: MCP_PATH,
      methods: ["POST", "GET", "DELETE"],
      access: "token",
      takesJson: true,
      serve: ({ request, response, body, caller }) => mcp.serve(request, response, body, caller),
    },
    {
      name: "healthz",
      path: "/healthz",
      methods: ["GET", "HEAD"],
      access: "probe",
      serve: async ({ response }) => sendText(response, 200, "ok\n"),
    },
    {
      name: "readyz",
      path: "/readyz",
      methods: ["GET", "HEAD"],
      access: "probe",
      async serve({ response }) {
        const problem = await findProblem(options);
        sendText(response, problem === undefined ? 200 : 503, `${problem ?? "ready"}\n`);
      },
    },
    {
      name: "metrics",
      path: "/metrics",
      methods: ["GET"],
      access: "admin",
      async serve({ response }) {
        const text = writeText([...processMetrics.read(), ...readServeMetrics(options)]);
        sendText(response, 200, text, "text/plain; version=0.0.4; charset=utf-8");
      },
    },
    ...(options.llm === undefined ? [] : [options.llm.route]),
    ...(options.wrapped?.routes ?? []),
    ...dashboardRoutes(options.dashboard, page),
    ...signInRoutes(options.signIn, createAttemptLimit(options.dashboard.now)),
  ];
}

const page = [
  `Spillway ${version}: context-safe retrieval for AI agents.`,
  "",
  `MCP clients connect to ${MCP_PATH} over Streamable HTTP, with a token of this server's operator.`,
  "",
].join("\n");

/** Why the server should get no requests now; undefined if it should. Probes learn nothing else. */
async function findProblem({ isStopping, store }: RoutesOptions): Promise<string | undefined> {
  if (isStopping()) return "stopping";
  try {
    await store.totals();
    return undefined;
  } catch {
    return "the store cannot be read"; // Its problem is in the replies of tools and in the log.
  }
}

/** What the server adds to the metrics of the process. */
export const readServeMetrics = (options: GaugeOptions & Pick<RoutesOptions, "metrics">): MetricReading[] =>
  options.metrics.read(readGauges(options));

type GaugeOptions = Pick<RoutesOptions, "queue" | "owners" | "mcp" | "llm" | "wrapped">;

function readGauges({ queue, owners, mcp, llm, wrapped }: GaugeOptions): Gauges {
  return {
    ...(llm && { spillway_llm_running: { about: "Requests at a provider of models.", value: llm.running } }),
    ...(wrapped && {
      spillway_servers_running: { about: "Wrapped servers that are running.", value: wrapped.running },
    }),
    spillway_calls_running: { about: "Calls that are worked on.", value: queue.running },
    spillway_calls_waiting: { about: "Calls that wait for their turn.", value: queue.waiting },
    spillway_owners_open: { about: "Owners with an open session.", value: owners.count },
    spillway_mcp_sessions_live: { about: "MCP sessions in memory.", value: mcp.liveSessions },
    process_resident_memory_bytes: { about: "Resident memory of the process.", value: process.memoryUsage.rss() },
  };
}

function sendText(response: ServerResponse, status: number, text: string, type = "text/plain; charset=utf-8"): void {
  response.writeHead(status, {
    "content-type": type,
    "content-length": Buffer.byteLength(text),
    "cache-control": "no-store",
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
  });
  response.end(response.req.method === "HEAD" ? undefined : text);
}
