/** The OpenTelemetry export of a session. Loaded only where OTLP is configured. */
import { openServiceFetch } from "../acquire/http/transport/service-fetch.ts";
import type { Environment } from "../config/paths.ts";
import type { Settings } from "../config/settings.ts";
import type { Emit } from "../telemetry/events.ts";
import { type OpenExport, openExport, type Poster } from "../telemetry/otlp/open-export.ts";
import { readOtlpOptions } from "../telemetry/otlp/otlp-options.ts";

export type TelemetryOptions = {
  readonly settings: Settings;
  readonly env: Environment;
  readonly emit: Emit;
  readonly log: (line: string) => void;
};

/** The export that the settings and variables ask for; undefined if, all in all, they ask for none. */
export function openTelemetry({ settings, env, emit, log }: TelemetryOptions): OpenExport | undefined {
  const { options, problems } = readOtlpOptions(settings, env);
  for (const problem of new Set(problems)) log(problem);
  if (options.traces === undefined && options.metrics === undefined) return undefined;
  return openExport(options, {
    openPoster: () => openPoster(settings, env),
    report(problem) {
      emit({ event: "otel.failed", ...problem });
      log(
        `OTLP ${problem.signal} cannot be sent to ${problem.endpoint} (${problem.code}); trying again from time to time`,
      );
    },
  });
}

/** A longer answer is not read: a collector says little more than that it has taken the data. */
const MAX_ANSWER_BYTES = 64 * 1024;

function openPoster(settings: Settings, env: Environment): Poster {
  const service = openServiceFetch({ settings, env });
  return {
    async post({ url, headers }, json, signal) {
      const response = await service.fetch(url, {
        method: "POST",
        headers: { "content-type": "application/json", ...headers },
        body: json,
        signal,
      });
      const text = await readStart(response);
      const retryAfter = Number(response.headers.get("retry-after"));
      return { status: response.status, text, retryAfterMs: retryAfter > 0 ? retryAfter * 1_000 : undefined };
    },
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  };
}

async function readStart(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > MAX_ANSWER_BYTES) break;
  }
  return Buffer.concat(chunks).toString("utf8");
}
