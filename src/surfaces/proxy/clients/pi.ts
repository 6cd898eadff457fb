/** pi reads addresses from `models.json` in its folder only. */
import { homedir } from "node:os";
import { join } from "node:path";
import { parseJsonObject } from "./json-config.ts";
import type { Launcher, ProxyUrls } from "./launcher.ts";
import { linkFolder } from "./linked-folder.ts";

export const piLauncher: Launcher = {
  name: "pi",
  title: "pi",
  source: "pi docs/models.md: a provider's baseUrl without models keeps its built-in models; PI_CODING_AGENT_DIR",
  async prepare(urls, { env, folder }) {
    const home = env.PI_CODING_AGENT_DIR ?? join(env.HOME ?? homedir(), ".pi", "agent");
    const copy = join(folder, "pi");
    await linkFolder(home, copy, "models.json", (text) => JSON.stringify(addAddresses(parseJsonObject(text), urls)));
    return { env: { PI_CODING_AGENT_DIR: copy }, args: [] };
  },
  configLine: (urls) => `~/.pi/agent/models.json: ${JSON.stringify(addAddresses({}, urls))}`,
};

type Models = { readonly providers?: Record<string, object> };

function addAddresses(models: Models, { openai, anthropic, gemini }: ProxyUrls): Models {
  const addresses = { openai, anthropic, google: `${gemini}/v1beta` };
  const providers = Object.entries(addresses).map(([name, baseUrl]) => [
    name,
    { ...models.providers?.[name], baseUrl },
  ]);
  return { ...models, providers: { ...models.providers, ...Object.fromEntries(providers) } };
}
