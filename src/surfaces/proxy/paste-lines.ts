/** Lines that are ready to paste: how each client is started so that it uses the running proxy. */
import type { ProxyUrls } from "./clients/launcher.ts";
import { launchers } from "./clients/launchers.ts";
import { quote } from "./run-client.ts";

/** A line for each client that uses one of the addresses, with its name before it. Any other line would lead nowhere. */
export async function listPasteLines(urls: ProxyUrls, addresses: readonly string[]): Promise<string[]> {
  const width = Math.max(...launchers.map(({ title }) => title.length)) + 1;
  const lines = launchers.map(async ({ name, title, prepare, configLine }) => {
    const label = `${title}:`.padEnd(width);
    if (configLine) return `${label} ${configLine(urls)}`;
    const { env, args } = await prepare(urls, { env: { OPENAI_API_KEY: "" }, folder: "" });
    const assignments = Object.entries(env).map(([variable, value]) => `${variable}=${quote(value)}`);
    return `${label} ${[...assignments, name, ...args.map(quote)].join(" ")}`;
  });
  return (await Promise.all(lines)).filter((line) => addresses.some((address) => leadsTo(line, address)));
}

/** Whether the line has the address, not just one that begins like it. */
const leadsTo = (line: string, address: string): boolean =>
  line
    .split(address)
    .slice(1)
    .some((rest) => !/^[\w.-]/.test(rest));
