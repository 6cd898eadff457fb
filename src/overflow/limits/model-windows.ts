/**
 * Windows of current models and the largest requests of current services, with their sources. They help where a refusal
 * names no number, and show which requests cannot overflow. What the user sets and what refusals name counts more.
 */
import type { Target } from "../wire/outgoing-request.ts";

type ModelRow = { readonly model: RegExp; readonly tokens: number; readonly source: string };

const openaiModels = "platform.openai.com/docs/models, read in 2025";

/** The first row that matches a model's name is used. Prefixes such as `openai/` are ignored. */
const modelRows: readonly ModelRow[] = [
  { model: /^claude-/, tokens: 200_000, source: "docs.claude.com: models overview; 1M only with a beta header" },
  { model: /^gpt-5/, tokens: 400_000, source: openaiModels },
  { model: /^gpt-4\.1/, tokens: 1_047_576, source: openaiModels },
  { model: /^(?:gpt-4o|gpt-4-turbo|chatgpt-4o)/, tokens: 128_000, source: openaiModels },
  { model: /^gpt-4(?:-\d{4})?$/, tokens: 8_192, source: openaiModels },
  { model: /^gpt-3\.5-turbo/, tokens: 16_385, source: openaiModels },
  { model: /^o[134](?:-|$)/, tokens: 200_000, source: openaiModels },
  { model: /^gemini-1\.5-pro/, tokens: 2_097_152, source: "ai.google.dev/gemini-api/docs/models" },
  { model: /^gemini-/, tokens: 1_048_576, source: "ai.google.dev/gemini-api/docs/models" },
];

/** The window that a model is known to have, or undefined. */
export function findModelWindow({ model }: Target): number | undefined {
  const name = model.replace(/^.*\//, "");
  return modelRows.find((row) => row.model.test(name))?.tokens;
}

type ServiceRow = { readonly endpoint: string; readonly bytes: number; readonly source: string };

const MiB = 1024 * 1024;

const serviceRows: readonly ServiceRow[] = [
  { endpoint: "api.anthropic.com", bytes: 32 * MiB, source: "docs.claude.com/en/api/errors: request_too_large" },
  { endpoint: "generativelanguage.googleapis.com", bytes: 20 * MiB, source: "ai.google.dev: inline data" },
];

/** The largest request that a service is known to accept, or undefined. */
export function findServiceBytes({ endpoint }: Target): number | undefined {
  return serviceRows.find((row) => row.endpoint === endpoint)?.bytes;
}
