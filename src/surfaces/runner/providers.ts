/** Which provider a model is asked of, where that is, and with whose key. Nothing here is loaded or sent. */
import { SpillwayError } from "../../errors.ts";
import { clip } from "../../system/safe-names.ts";

/** How a provider is spoken to; every endpoint of one's own speaks OpenAI's chat format. */
export type Speech = "openai" | "anthropic" | "google" | "compatible";

/** A model and the way to it. */
export type Target = {
  readonly speech: Speech;
  /** The name before the colon: `openai`, or that of an endpoint. */
  readonly provider: string;
  readonly model: string;
  /** Undefined where the provider's own address holds. */
  readonly baseUrl: string | undefined;
  /** Undefined for an endpoint that wants none. Never part of a message. */
  readonly key: string | undefined;
};

type Environment = Readonly<Record<string, string | undefined>>;

type Known = {
  readonly speech: Speech;
  readonly keyNames: readonly string[];
  /** Where it is unless a setting says otherwise; one on this machine wants no key. */
  readonly localUrl?: string;
};

const knownProviders: Readonly<Record<string, Known>> = {
  openai: { speech: "openai", keyNames: ["OPENAI_API_KEY"] },
  anthropic: { speech: "anthropic", keyNames: ["ANTHROPIC_API_KEY"] },
  google: { speech: "google", keyNames: ["GOOGLE_GENERATIVE_AI_API_KEY", "GEMINI_API_KEY"] },
  ollama: { speech: "compatible", keyNames: ["OLLAMA_API_KEY"], localUrl: "http://127.0.0.1:11434/v1" },
};

export type ProviderSettings = {
  readonly "runner.endpoints": readonly string[];
  readonly "runner.keys": readonly string[];
};

/** Reads `provider:model`. A name nobody knows, a missing key and a crooked address are each told in a sentence. */
export function findTarget(written: string, settings: ProviderSettings, env: Environment): Target {
  const endpoints = endpointsOf(settings["runner.endpoints"]);
  const [provider = "", ...rest] = written.split(":");
  const model = rest.join(":").trim();
  const known = Object.hasOwn(knownProviders, provider) ? knownProviders[provider] : undefined;
  const baseUrl = endpoints.get(provider) ?? known?.localUrl;
  if (model === "" || (known === undefined && baseUrl === undefined)) throw unknownModel(written, endpoints);
  const { speech, keyNames } = known ?? { speech: "compatible" as const, keyNames: [ownKeyName(provider)] };
  const names = keyVariables(provider, settings["runner.keys"]) ?? keyNames;
  const holder = names.find((name) => (env[name] ?? "").trim() !== "");
  if (holder === undefined && speech !== "compatible") throw keyMissing(provider, names);
  const key = holder === undefined ? undefined : plainKey(holder, env[holder] ?? "");
  return { speech, provider, model, baseUrl, key };
}

/** A key goes into a header: what cannot stand there was not copied whole, or is no key at all. */
function plainKey(holder: string, value: string): string {
  const key = value.trim();
  if (/^[\x21-\x7e]+$/.test(key)) return key;
  throw new SpillwayError("key_invalid", `The key in ${holder} holds a character that no key has.`, {
    hint: "Copy the key again: it is one line of plain letters, digits and signs, without spaces.",
  });
}

function endpointsOf(lines: readonly string[]): ReadonlyMap<string, string> {
  return new Map(
    lines.map((line) => {
      const [, name = "", address = ""] = /^([a-z][a-z0-9_-]*)=(.+)$/.exec(line.trim()) ?? [];
      if (isPlainAddress(address)) return [name, address.replace(/\/+$/, "")];
      const shown = line
        .trim()
        .replace(/(:\/*)[^/?#\\]*@/, "$1***@")
        .replace(/[?#].*$/, "?...");
      throw new SpillwayError("config_invalid", `runner.endpoints cannot hold ${JSON.stringify(clip(shown))}.`, {
        hint:
          "Write each as name=address, for example vllm=http://127.0.0.1:8000/v1. An address holds no user, password, " +
          "query or fragment; a key is named in runner.keys.",
      });
    }),
  );
}

/** One that paths can be added to and that can be shown: nobody's password, nothing behind the path. */
function isPlainAddress(address: string): boolean {
  if (!/^https?:\/\//.test(address) || !URL.canParse(address)) return false;
  const { username, password } = new URL(address);
  return username + password === "" && !/[?#]/.test(address);
}

/** Only names of variables are taken: a key in a file is read by whoever reads the file. */
function keyVariables(provider: string, lines: readonly string[]): readonly string[] | undefined {
  const line = lines.find((each) => each.trim().startsWith(`${provider}=`));
  if (line === undefined) return undefined;
  const name = /^[^=]+=\$\{?([A-Za-z_][A-Za-z0-9_]*)\}?$/.exec(line.trim())?.[1];
  if (name !== undefined) return [name];
  throw new SpillwayError("config_invalid", `runner.keys does not name an environment variable for ${provider}.`, {
    hint: `Put the key into a variable and write ${provider}=$NAME_OF_IT.`,
  });
}

/** The variable that holds the key of an endpoint of one's own. */
export const ownKeyName = (provider: string): string => `${provider.toUpperCase().replaceAll("-", "_")}_API_KEY`;

function unknownModel(written: string, endpoints: ReadonlyMap<string, string>): SpillwayError {
  const names = [...new Set([...Object.keys(knownProviders), ...endpoints.keys()])].join(", ");
  return new SpillwayError("usage", `${JSON.stringify(clip(written))} names no model of a known provider.`, {
    hint: `Write provider:model; providers: ${names} (setting runner.endpoints adds others).`,
  });
}

function keyMissing(provider: string, names: readonly string[]): SpillwayError {
  return new SpillwayError("key_missing", `There is no key for ${provider}: ${names.join(" or ")} is not set.`, {
    hint: `Set it in the environment, or name another variable in runner.keys (${provider}=$NAME).`,
  });
}
