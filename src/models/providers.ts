/** Resolves `provider:model` to an API format, an address and a key. Nothing is loaded or sent here. */
import { SpillwayError } from "../errors.ts";
import { clip } from "../system/safe-names.ts";

/** The API format of a provider. Every custom endpoint uses OpenAI's chat format (`compatible`). */
export type ApiFormat = "openai" | "anthropic" | "google" | "compatible";

/** A model and how to reach it. */
export type ModelTarget = {
  readonly apiFormat: ApiFormat;
  /** The name before the colon: `openai`, or the name of an endpoint. */
  readonly provider: string;
  readonly model: string;
  /** Undefined for the provider's default address. */
  readonly baseUrl: string | undefined;
  /** Undefined for an endpoint that needs none. Never part of a message. */
  readonly key: string | undefined;
};

type Environment = Readonly<Record<string, string | undefined>>;

type ProviderPreset = {
  readonly apiFormat: ApiFormat;
  readonly keyNames: readonly string[];
  /** The default address of a local provider, which needs no key. */
  readonly localUrl?: string;
};

const providerPresets: Readonly<Record<string, ProviderPreset>> = {
  openai: { apiFormat: "openai", keyNames: ["OPENAI_API_KEY"] },
  anthropic: { apiFormat: "anthropic", keyNames: ["ANTHROPIC_API_KEY"] },
  google: { apiFormat: "google", keyNames: ["GOOGLE_GENERATIVE_AI_API_KEY", "GEMINI_API_KEY"] },
  ollama: { apiFormat: "compatible", keyNames: ["OLLAMA_API_KEY"], localUrl: "http://127.0.0.1:11434/v1" },
};

/** The settings that name endpoints and keys. */
export type ProviderSettings = {
  readonly "runner.endpoints": readonly string[];
  readonly "runner.keys": readonly string[];
};

/** Resolves `provider:model`. Throws for an unknown name, a missing or invalid key, and an invalid address. */
export function findTarget(modelSpec: string, settings: ProviderSettings, env: Environment): ModelTarget {
  const endpoints = parseEndpoints(settings["runner.endpoints"]);
  const [provider = "", ...rest] = modelSpec.split(":");
  const model = rest.join(":").trim();
  const preset = Object.hasOwn(providerPresets, provider) ? providerPresets[provider] : undefined;
  const baseUrl = endpoints.get(provider) ?? preset?.localUrl;
  if (model === "" || (preset === undefined && baseUrl === undefined)) throw unknownModelError(modelSpec, endpoints);
  const { apiFormat, keyNames } = preset ?? { apiFormat: "compatible" as const, keyNames: [toKeyVariable(provider)] };
  const names = findKeyVariables(provider, settings["runner.keys"]) ?? keyNames;
  const variable = names.find((name) => (env[name] ?? "").trim() !== "");
  if (variable === undefined && apiFormat !== "compatible") throw missingKeyError(provider, names);
  const key = variable === undefined ? undefined : requirePlainKey(variable, env[variable] ?? "");
  return { apiFormat, provider, model, baseUrl, key };
}

/** A key goes into a header. One that does not fit there was not copied completely, or is not a key. */
function requirePlainKey(variable: string, value: string): string {
  const key = value.trim();
  if (/^[\x21-\x7e]+$/.test(key)) return key;
  throw new SpillwayError("key_invalid", `The key in ${variable} contains a character that no key can have.`, {
    hint: "Copy the key again: it is one line of ASCII letters, digits and punctuation, without spaces.",
  });
}

function parseEndpoints(lines: readonly string[]): ReadonlyMap<string, string> {
  return new Map(
    lines.map((line) => {
      const [, name = "", address = ""] = /^([a-z][a-z0-9_-]*)=(.+)$/.exec(line.trim()) ?? [];
      if (isPlainUrl(address)) return [name, address.replace(/\/+$/, "")];
      const redacted = line
        .trim()
        .replace(/(:\/*)[^/?#\\]*@/, "$1***@")
        .replace(/[?#].*$/, "?...");
      throw new SpillwayError("config_invalid", `runner.endpoints cannot hold ${JSON.stringify(clip(redacted))}.`, {
        hint:
          "Write each as name=address, for example vllm=http://127.0.0.1:8000/v1. An address has no user, password, " +
          "query or fragment. Name a key in runner.keys.",
      });
    }),
  );
}

/** Whether paths can be appended to the address and it can be shown: no password, nothing after the path. */
function isPlainUrl(address: string): boolean {
  if (!/^https?:\/\//.test(address) || !URL.canParse(address)) return false;
  const { username, password } = new URL(address);
  return username + password === "" && !/[?#]/.test(address);
}

/** Accepts only names of environment variables, so that no key is stored in a file. */
function findKeyVariables(provider: string, lines: readonly string[]): readonly string[] | undefined {
  const line = lines.find((each) => each.trim().startsWith(`${provider}=`));
  if (line === undefined) return undefined;
  const name = /^[^=]+=\$\{?([A-Za-z_][A-Za-z0-9_]*)\}?$/.exec(line.trim())?.[1];
  if (name !== undefined) return [name];
  throw new SpillwayError("config_invalid", `runner.keys does not name an environment variable for ${provider}.`, {
    hint: `Put the key into an environment variable and write ${provider}=$NAME.`,
  });
}

/** The environment variable with the key of a custom endpoint. */
export const toKeyVariable = (provider: string): string => `${provider.toUpperCase().replaceAll("-", "_")}_API_KEY`;

function unknownModelError(modelSpec: string, endpoints: ReadonlyMap<string, string>): SpillwayError {
  const names = [...new Set([...Object.keys(providerPresets), ...endpoints.keys()])].join(", ");
  return new SpillwayError("usage", `${JSON.stringify(clip(modelSpec))} does not name a model of a known provider.`, {
    hint: `Write provider:model; providers: ${names} (the setting runner.endpoints adds others).`,
  });
}

function missingKeyError(provider: string, names: readonly string[]): SpillwayError {
  return new SpillwayError("key_missing", `There is no key for ${provider}: ${names.join(" or ")} is not set.`, {
    hint: `Set it in the environment, or name another variable in runner.keys (${provider}=$NAME).`,
  });
}
