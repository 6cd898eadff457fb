/** Lines that are ready to paste: how each client is started so that it uses the running proxy. */
import type { ProxyUrls } from "./clients/launcher.ts";
import { launchers } from "./clients/launchers.ts";
import { quote } from "./run-client.ts";

/** A line for each client, with its name before it. */
export async function listPasteLines(urls: ProxyUrls): Promise<string[]> {
  const width = Math.max(...launchers.map(({ title }) => title.length)) + 1;
  const lines = launchers.map(async ({ name, title, prepare, configLine }) => {
    const label = `${title}:`.padEnd(width);
    if (configLine) return `${label} ${configLine(urls)}`;
    const { env, args } = await prepare(urls, { env: { OPENAI_API_KEY: "" }, folder: "" });
    const assignments = Object.entries(env).map(([variable, value]) => `${variable}=${quote(value)}`);
    return `${label} ${[...assignments, name, ...args.map(quote)].join(" ")}`;
  });
  return Promise.all(lines);
}
