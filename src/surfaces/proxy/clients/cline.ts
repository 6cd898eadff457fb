/** Cline's CLI has the addresses in `settings/providers.json` of its data folder. */
import { homedir } from "node:os";
import { join } from "node:path";
import { parseJsonObject } from "./json-config.ts";
import type { Launcher, ProxyUrls } from "./launcher.ts";
import { linkFolder } from "./linked-folder.ts";

export const clineLauncher: Launcher = {
  name: "cline",
  title: "Cline",
  source: "cline 3.0 README: CLINE_DATA_DIR; cline auth --baseurl writes settings.baseUrl",
  async prepare(urls, { env, folder }) {
    const home = env.CLINE_DATA_DIR ?? join(env.HOME ?? homedir(), ".cline", "data");
    const copy = join(folder, "cline");
    const file = "settings/providers.json";
    await linkFolder(home, copy, file, (text) => JSON.stringify(addAddresses(parseJsonObject(text), urls)));
    return { env: { CLINE_DATA_DIR: copy }, args: [] };
  },
  configLine: ({ openai }) => `cline auth --provider openai-native --apikey KEY --modelid MODEL --baseurl ${openai}`,
};

type Providers = { readonly providers?: Record<string, { readonly settings?: { readonly baseUrl?: string } }> };

/** A provider with an address of its own keeps it. */
function addAddresses(config: Providers, { openai, anthropic, gemini }: ProxyUrls): Providers {
  const addresses: Record<string, string> = {
    "openai-native": openai,
    openai,
    anthropic: `${anthropic}/v1`,
    gemini: `${gemini}/v1beta`,
  };
  const providers = Object.entries(config.providers ?? {}).map(([name, provider]) => {
    const { baseUrl = addresses[name] } = provider.settings ?? {};
    return [name, baseUrl === undefined ? provider : { ...provider, settings: { ...provider.settings, baseUrl } }];
  });
  return { ...config, providers: Object.fromEntries(providers) };
}
