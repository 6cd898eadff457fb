/** Writes the section of docs/mcp.md about real clients, from what test/slow/clients.test.ts has recorded. */
import { readFile } from "node:fs/promises";

type Measures = Readonly<Record<"listed" | "loaded" | "searches" | "short" | "long" | "lines", number>>;
type Row = { readonly client: string; readonly version: string; readonly before: Measures; readonly now: Measures };

const recordFile = new URL("../test/slow/measured-clients.json", import.meta.url);

const columns: readonly [title: string, field: keyof Measures][] = [
  ["definitions at the start", "listed"],
  ["in the end", "loaded"],
  ["searches for a tool", "searches"],
  ["reply to a 36-byte file", "short"],
  ["reply to a 164 KB file", "long"],
  ["lines of it that arrive", "lines"],
];

/** The section as Markdown. */
export async function renderMeasuredClients(): Promise<string> {
  const rows: readonly Row[] = JSON.parse(await readFile(recordFile, "utf8"));
  const heading = ["client", ...columns.map(([title]) => title)];
  const lines = rows.map(({ client, version, before, now }) => {
    const cells = columns.map(([, field]) => writeCell(before[field], now[field], noise[field] ?? 0));
    return `| ${[`${client} (${version})`, ...cells].join(" | ")} |`;
  });
  return `${introduction}\n| ${heading.join(" | ")} |\n|${"---|".repeat(heading.length)}\n${lines.join("\n")}\n`;
}

/** Refs and fences are random, so a few tokens more or less say nothing. */
const noise: Partial<Measures> = { short: 20, long: 20, lines: 2 };

const writeCell = (before: number, now: number, maxNoise: number): string =>
  Math.abs(before - now) <= maxNoise ? format(now) : `${format(before)}, now ${format(now)}`;

const format = (count: number): string => count.toLocaleString("en-US");

const introduction = `
## Measured with real clients

What the models of real clients receive, in tokens, recorded by \`test/slow/clients.test.ts\`: each client is installed from the npm
registry, gets our server by \`spillway install\`, and runs with loopback only and a scripted model. The model asks for 100,000
characters of the long file. Where two figures are given, the first one
was measured before replies had a form for each client. Lines are counted up to the first one that is missing. pi's adapter
calls our tools through one of its own, which is what is counted.
`;
