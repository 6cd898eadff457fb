/** Where and how OTLP is sent: our settings, and the standard variables of OpenTelemetry. */
import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import type { Environment } from "../../config/paths.ts";
import type { Settings } from "../../config/settings.ts";
import { version } from "../../version.ts";
import type { Resource } from "./encode.ts";

/** The address of one signal, with the headers that it needs. */
export type OtlpTarget = { readonly url: string; readonly headers: Readonly<Record<string, string>> };

export type OtlpOptions = {
  readonly traces: OtlpTarget | undefined;
  readonly metrics: OtlpTarget | undefined;
  readonly resource: Resource;
  readonly timeoutMs: number;
  readonly spanDelayMs: number;
  readonly maxQueuedSpans: number;
  readonly maxBatchSpans: number;
  readonly metricIntervalMs: number;
};

type OtlpSettings = Pick<Settings, "otel.endpoint" | "otel.signals">;

/** The options, and a sentence for each variable that cannot be followed: what it asks for is then not exported. */
export function readOtlpOptions(
  settings: OtlpSettings,
  env: Environment,
): { readonly options: OtlpOptions; readonly problems: readonly string[] } {
  const problems: string[] = [];
  const find = (signal: Signal) => findTarget(signal, settings, env, (problem) => problems.push(problem));
  const maxQueuedSpans = readNumber(env.OTEL_BSP_MAX_QUEUE_SIZE, 2_048);
  const options = {
    traces: find("traces"),
    metrics: find("metrics"),
    resource: readResource(env),
    timeoutMs: readNumber(env.OTEL_EXPORTER_OTLP_TIMEOUT, 10_000),
    spanDelayMs: readNumber(env.OTEL_BSP_SCHEDULE_DELAY, 5_000),
    maxQueuedSpans,
    maxBatchSpans: Math.min(maxQueuedSpans, readNumber(env.OTEL_BSP_MAX_EXPORT_BATCH_SIZE, 512)),
    metricIntervalMs: readNumber(env.OTEL_METRIC_EXPORT_INTERVAL, 60_000),
  };
  return { options, problems };
}

type Signal = "traces" | "metrics";

function findTarget(
  signal: Signal,
  settings: OtlpSettings,
  env: Environment,
  report: (problem: string) => void,
): OtlpTarget | undefined {
  const prefix = `OTEL_EXPORTER_OTLP_${signal.toUpperCase()}`;
  const exporters = env[`OTEL_${signal.toUpperCase()}_EXPORTER`] || "otlp";
  const wanted = settings["otel.signals"];
  if (isTrue(env.OTEL_SDK_DISABLED) || (wanted !== "both" && wanted !== signal)) return undefined;
  const own = settings["otel.endpoint"];
  if (own === null && !/\botlp\b/.test(exporters)) return undefined;
  const protocol = env[`${prefix}_PROTOCOL`] || env.OTEL_EXPORTER_OTLP_PROTOCOL;
  if (own === null && protocol === "grpc") {
    report("OTLP over gRPC is not supported. Set otel.endpoint to the address for OTLP over HTTP, usually port 4318.");
    return undefined;
  }
  const exact = own === null ? env[`${prefix}_ENDPOINT`] : undefined;
  const base = own ?? env.OTEL_EXPORTER_OTLP_ENDPOINT;
  const address = exact || (base && `${base.replace(/\/+$/, "")}/v1/${signal}`);
  if (!address) return undefined;
  const headers = { ...readPairs(env.OTEL_EXPORTER_OTLP_HEADERS), ...readPairs(env[`${prefix}_HEADERS`]) };
  const target = toTarget(address, headers);
  if (target === undefined)
    report(`The address for OTLP ${signal} is not a URL of http or https, so none are exported.`);
  return target;
}

/** A URL with a user and a password becomes one without, and a header. */
function toTarget(address: string, headers: Readonly<Record<string, string>>): OtlpTarget | undefined {
  const url = URL.parse(address);
  if (url === null || !/^https?:$/.test(url.protocol) || !isValid(headers)) return undefined;
  const { username, password } = url;
  url.username = "";
  url.password = "";
  if (username === "" && password === "") return { url: url.href, headers };
  const credentials = Buffer.from(`${decodeText(username)}:${decodeText(password)}`).toString("base64");
  return { url: url.href, headers: { authorization: `Basic ${credentials}`, ...headers } };
}

function isValid(headers: Readonly<Record<string, string>>): boolean {
  return Object.entries(headers).every(
    ([name, value]) => /^[\w!#$%&'*+.^`|~-]+$/.test(name) && !/[^\t\x20-\xff]/.test(value),
  );
}

/** Each process is an instance: its totals begin at zero. */
const instanceId = randomUUID();

function readResource(env: Environment): Resource {
  const named = readPairs(env.OTEL_RESOURCE_ATTRIBUTES);
  return {
    "service.name": "spillway",
    "service.version": version,
    "service.instance.id": instanceId,
    "host.name": hostname(),
    "process.pid": process.pid,
    "telemetry.sdk.name": "spillway",
    "telemetry.sdk.language": "nodejs",
    "telemetry.sdk.version": version,
    ...named,
    ...(env.OTEL_SERVICE_NAME && { "service.name": env.OTEL_SERVICE_NAME }),
  };
}

/** `name=value,name=value`, values percent-encoded. */
function readPairs(text: string | undefined): Record<string, string> {
  const pairs = (text ?? "").split(",").flatMap((pair) => {
    const [name = "", ...value] = pair.split("=");
    return name.trim() === "" || value.length === 0 ? [] : [[name.trim(), decodeText(value.join("=").trim())]];
  });
  return Object.fromEntries(pairs);
}

/** Some write values as they are, with a percent sign. */
function decodeText(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** What is not a positive number counts as not set, as the specification says. */
function readNumber(text: string | undefined, fallback: number): number {
  const value = Number(text);
  return text && Number.isSafeInteger(value) && value > 0 ? Math.min(value, MAX_NUMBER) : fallback;
}

/** A day in milliseconds: timers cannot wait much longer. */
const MAX_NUMBER = 24 * 60 * 60 * 1_000;

const isTrue = (text: string | undefined): boolean => text?.toLowerCase() === "true";
