/** Fetches a 200 KB page repeatedly with one method, in its own process; prints the cost of a round as JSON. */
import { request } from "undici";
import { defaultSettings } from "../src/config/settings.ts";
import { findHandler } from "../src/extract/handlers.ts";
import { readChildLimits } from "../src/extract/pool/pools.ts";
import { openSession } from "../src/session/session.ts";
import { fetchSource } from "../src/verbs/fetch.ts";

const [, , method = "", origin = "", home = "", roundCount = "200", turn = "0"] = process.argv;
const settings = { ...defaultSettings, home, "network.allow": [new URL(origin).host] };
const pageUrl = (number: number): string => `${origin}/page/${number}`;

async function fetchPlain(number: number): Promise<Buffer> {
  const { body } = await request(pageUrl(number));
  return Buffer.from(await body.arrayBuffer());
}

/** Only the HTML handler, with links resolved as in a fetch; nothing is stored. */
async function extractOnly(number: number): Promise<number> {
  const bytes = await fetchPlain(number);
  const [kind, mediaType, url] = ["html", "text/html", pageUrl(number)] as const;
  const file = { content: { bytes }, sizeBytes: bytes.length, kind, mediaType, charset: "utf-8", url };
  const options = { mode: "markdown", from: 0, limits: readChildLimits(settings) } as const;
  let chars = 0;
  for await (const event of findHandler(kind, mediaType, []).extract(file, options, session.signal))
    if ("segment" in event) chars += event.segment.text.length;
  return chars;
}

async function fetchOurs(number: number, noCache: boolean): Promise<number> {
  return (await fetchSource(pageUrl(number), { noCache }, session)).fields.extracted_chars ?? 0;
}

/** Peers are installed in this folder only, so the compiler does not know them. */
async function load<T>(name: string): Promise<T> {
  return (await import(name)) as T;
}

type Linkedom = { parseHTML(html: string): { document: unknown } };
type ReadabilityModule = { Readability: new (document: unknown) => { parse(): { content: string } | null } };
type TurndownModule = { default: new () => { turndown(html: string): string } };

async function fetchWithPeer(number: number): Promise<number> {
  const { parseHTML } = await load<Linkedom>("linkedom");
  const { Readability } = await load<ReadabilityModule>("@mozilla/readability");
  const { default: Turndown } = await load<TurndownModule>("turndown");
  const { document } = parseHTML((await fetchPlain(number)).toString());
  return new Turndown().turndown(new Readability(document).parse()?.content ?? "").length;
}

const methods: Readonly<Record<string, (number: number) => Promise<unknown>>> = {
  plain: fetchPlain,
  extracted: extractOnly,
  ours: (number) => fetchOurs(number, true),
  again: () => fetchOurs(0, false),
  peer: fetchWithPeer,
};

await using session = await openSession({ settings, env: {} });
const run = methods[method] ?? (() => Promise.reject(new Error(`There is no method ${method}.`)));
const rounds = Number(roundCount);
/** Every turn uses other pages, because a page that is stored already costs less to store again. */
const first = 2 * rounds * Number(turn);
for (let round = 0; round < rounds / 2; round++) await run(first + round);
const walls: number[] = [];
const before = process.cpuUsage();
for (let round = 0; round < rounds; round++) {
  const startedAt = performance.now();
  await run(first + rounds + round);
  walls.push(performance.now() - startedAt);
}
const { user, system } = process.cpuUsage(before);
const wallMs = walls.toSorted((a, b) => a - b)[Math.floor(rounds / 2)];
console.log(JSON.stringify({ cpuMs: (user + system) / 1_000 / rounds, wallMs }));
