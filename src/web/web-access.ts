/** Which providers are configured: by keys in the environment, or by an address in the user's settings. */
import type { Environment } from "../config/paths.ts";
import type { Settings } from "../config/settings.ts";
import { SpillwayError } from "../errors.ts";
import { clip } from "../system/safe-names.ts";
import { webProviders } from "./providers.ts";
import type { WebAccess, WebProvider } from "./web-provider.ts";

export type ConfiguredProvider = { readonly provider: WebProvider; readonly access: Omit<WebAccess, "now"> };

type WebSettings = Pick<Settings, "web.providers" | "web.addresses">;

/** The configured providers in order of preference: as `web.providers` names them, else as they are listed. */
export function findConfigured(settings: WebSettings, env: Environment): ConfiguredProvider[] {
  const addresses = parseAddresses(settings["web.addresses"]);
  const wanted = settings["web.providers"];
  const chosen = wanted.length === 0 ? webProviders : wanted.map(findProvider);
  return chosen.flatMap((provider) => {
    const baseUrl = addresses.get(provider.name) ?? provider.baseUrl;
    const keys = provider.keyNames.map((names) => readKey(names, env));
    if (baseUrl === undefined || keys.includes(undefined)) return [];
    return [{ provider, access: { baseUrl, keys: keys.flatMap((key) => key ?? []) } }];
  });
}

/** Whether any provider is configured; the tools are listed only then. Never throws: a bad setting fails the call. */
export function hasProvider(settings: WebSettings, env: Environment): boolean {
  try {
    return findConfigured(settings, env).length > 0;
  } catch {
    return true; // The tools stay listed, and a call says which setting is wrong.
  }
}

/** The error for a call without any provider. */
export function makeUnconfiguredError(): SpillwayError {
  const keys = webProviders.flatMap(({ keyNames }) => keyNames[0]?.[0] ?? []).join(", ");
  return new SpillwayError("key_missing", "No web search provider is configured.", {
    hint: `Set one of ${keys} in the environment, or web.addresses to searxng=<address> of a SearXNG.`,
  });
}

function findProvider(name: string): WebProvider {
  const provider = webProviders.find((each) => each.name === name.trim().toLowerCase());
  if (provider !== undefined) return provider;
  throw new SpillwayError("config_invalid", `web.providers names ${JSON.stringify(clip(name))}, which is unknown.`, {
    hint: `Use ${webProviders.map((each) => each.name).join(", ")}.`,
  });
}

function readKey(names: readonly string[], env: Environment): string | undefined {
  const name = names.find((each) => (env[each] ?? "").trim() !== "");
  if (name === undefined) return undefined;
  const key = (env[name] ?? "").trim();
  if (/^[\x21-\x7e]+$/.test(key)) return key;
  throw new SpillwayError("key_invalid", `The key in ${name} contains a character that no key can have.`, {
    hint: "Copy the key again: it is one line of ASCII letters, digits and punctuation, without spaces.",
  });
}

/** Lines such as `searxng=http://127.0.0.1:8888`. */
function parseAddresses(lines: readonly string[]): ReadonlyMap<string, string> {
  return new Map(
    lines.map((line) => {
      const [, name = "", address = ""] = /^([a-z]+)=(https?:\/\/[^?#@]+)$/.exec(line.trim()) ?? [];
      const isKnown = webProviders.some((provider) => provider.name === name);
      if (isKnown && URL.canParse(address)) return [name, address.replace(/\/+$/, "")];
      throw new SpillwayError("config_invalid", "web.addresses has a line that is not name=address.", {
        hint: "Write for example searxng=http://127.0.0.1:8888, without user, query or fragment.",
      });
    }),
  );
}
