/** Which provider a model is asked of, where that is, and with whose key. Nothing here is loaded or sent. */
import { SpillwayError } from "../../errors.ts";
import { clipped } from "../../system/safe-names.ts";

/** How a provider is spoken to; every endpoint of one's own speaks OpenAI's chat format. */
export type ApiFormat = "openai" | "anthropic" | "google" | "compatible";

/** A model and the way to it. */
export type ModelTarget = {
  readonly apiFormat: ApiFormat;
  /** The name before the colon: `openai`, or that of an endpoint. */
  readonly provider: string;
  readonly model: string;
  /** Undefined where the provider's own address holds. */
  readonly baseUrl: string | undefined;
  /** Undefined for an endpoint that wants none. Never part of a message. */
  readonly key: string | undefined;
};

type Environment = Readonly<Record<string, string | undefined>>;

type ProviderPreset = {
  readonly apiFormat: ApiFormat;
  readonly keyNames: readonly string[];
  /** Where it is unless a setting says otherwise; one on this machine wants no key. */
  readonly localUrl?: string;
};

const providerPresets: Readonly<Record<string, ProviderPreset>> = {
  openai: { apiFormat: "openai", keyNames: ["OPENAI_API_KEY"] },
  anthropic: { apiFormat: "anthropic", keyNames: ["ANTHROPIC_API_KEY"] },
  google: { apiFormat: "google", keyNames: ["GOOGLE_GENERATIVE_AI_API_KEY", "GEMINI_API_KEY"] },
  ollama: { apiFormat: "compatible", keyNames: ["OLLAMA_API_KEY"], localUrl: "http://127.0.0.1:11434/v1" },
};

export type ProviderSettings = {
  readonly "runner.endpoints": readonly string[];
  readonly "runner.keys": readonly string[];
};

/** Reads `provider:model`. A name nobody knows, a missing key and a crooked address are each told in a sentence. */
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
  return { apiFormat: apiFormat, provider, model, baseUrl, key };
}

/** A key goes into a header: what cannot stand there was not copied whole, or is no key at all. */
function requirePlainKey(variable: string, value: string): string {
  const key = value.trim();
  if (/^[\x21-\x7e]+$/.test(key)) return key;
  throw new SpillwayError("key_invalid", `The key in ${variable} holds a character that no key has.`, {
    hint: "Copy the key again: it is one line of plain letters, digits and signs, without spaces.",
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
      throw new SpillwayError("config_invalid", `runner.endpoints cannot hold ${JSON.stringify(clipped(redacted))}.`, {
        hint:
          "Write each as name=address, for example vllm=http://127.0.0.1:8000/v1. An address holds no user, password, " +
          "query or fragment; a key is named in runner.keys.",
      });
    }),
  );
}

/** One that paths can be added to and that can be shown: nobody's password, nothing behind the path. */
function isPlainUrl(address: string): boolean {
  if (!/^https?:\/\//.test(address) || !URL.canParse(address)) return false;
  const { username, password } = new URL(address);
  return username + password === "" && !/[?#]/.test(address);
}

/** Only names of variables are taken: a key in a file is read by whoever reads the file. */
function findKeyVariables(provider: string, lines: readonly string[]): readonly string[] | undefined {
  const line = lines.find((each) => each.trim().startsWith(`${provider}=`));
  if (line === undefined) return undefined;
  const name = /^[^=]+=\$\{?([A-Za-z_][A-Za-z0-9_]*)\}?$/.exec(line.trim())?.[1];
  if (name !== undefined) return [name];
  throw new SpillwayError("config_invalid", `runner.keys does not name an environment variable for ${provider}.`, {
    hint: `Put the key into a variable and write ${provider}=$NAME_OF_IT.`,
  });
}

/** The variable that holds the key of an endpoint of one's own. */
export const toKeyVariable = (provider: string): string => `${provider.toUpperCase().replaceAll("-", "_")}_API_KEY`;

function unknownModelError(modelSpec: string, endpoints: ReadonlyMap<string, string>): SpillwayError {
  const names = [...new Set([...Object.keys(providerPresets), ...endpoints.keys()])].join(", ");
  return new SpillwayError("usage", `${JSON.stringify(clipped(modelSpec))} names no model of a known provider.`, {
    hint: `Write provider:model; providers: ${names} (setting runner.endpoints adds others).`,
  });
}

function missingKeyError(provider: string, names: readonly string[]): SpillwayError {
  return new SpillwayError("key_missing", `There is no key for ${provider}: ${names.join(" or ")} is not set.`, {
    hint: `Set it in the environment, or name another variable in runner.keys (${provider}=$NAME).`,
  });
}
