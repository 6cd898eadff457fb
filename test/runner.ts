/** The runner test harness: runs the command on a temporary store, against a simulated provider. */
import { glob } from "node:fs/promises";
import { join } from "node:path";
import { readTranscript } from "../src/surfaces/runner/transcript.ts";
import { type CliResult, type CliRunOptions, openCli } from "./cli.ts";
import { type ServedProviderOptions, serveProvider } from "./provider.ts";

/** The --model value for each dialect. */
export const runnerModels = {
  "openai-chat": "sim:sim-1",
  "openai-responses": "openai:sim-1",
  "anthropic-messages": "anthropic:sim-1",
  gemini: "google:sim-1",
} as const;

/** The dialects that the runner supports. */
export type RunnerDialect = keyof typeof runnerModels;

export const runnerDialects = Object.keys(runnerModels) as readonly RunnerDialect[];

/** Environment variables that point every provider to a simulated one. */
export function runnerEnvironment(url: string): Record<string, string> {
  const endpoints = [`sim=${url}/v1`, `openai=${url}/v1`, `anthropic=${url}/v1`, `google=${url}/v1beta`];
  return {
    SPILLWAY_RUNNER_ENDPOINTS: endpoints.join(","),
    OPENAI_API_KEY: "sk-sim-secret",
    ANTHROPIC_API_KEY: "sk-sim-secret",
    GEMINI_API_KEY: "sk-sim-secret",
  };
}

/** Opens a CLI harness and a simulated provider. */
export async function openRunner(options: ServedProviderOptions) {
  const [cli, provider] = [await openCli(), await serveProvider(options)];
  const env = runnerEnvironment(provider.url);
  const transcriptPath = async () => {
    const [file] = await Array.fromAsync(glob("transcripts/*/*.jsonl", { cwd: cli.home }));
    return file === undefined ? undefined : join(cli.home, file);
  };
  return {
    ...cli,
    provider,
    async run(
      argv: readonly string[],
      more: Record<string, string> = {},
      options: CliRunOptions = {},
    ): Promise<CliResult> {
      return cli.run(argv, { ...options, env: { ...env, ...more } });
    },
    /** Runs with --json and returns the events. */
    async events(argv: readonly string[], more: Record<string, string> = {}, options: CliRunOptions = {}) {
      const result = await cli.run([...argv, "--json"], { ...options, env: { ...env, ...more } });
      const lines = result.out.split("\n").filter(Boolean);
      return { ...result, events: lines.map((line) => JSON.parse(line)) };
    },
    /** The path of the only transcript. */
    transcriptPath,
    async transcript() {
      const path = await transcriptPath();
      return path === undefined ? undefined : readTranscript(path);
    },
    async [Symbol.asyncDispose]() {
      await provider[Symbol.asyncDispose]();
      await cli[Symbol.asyncDispose]();
    },
  };
}
