/** One way of fetching a 200 KB page, again and again in a process of its own; prints what a round costs as JSON. */
import { request } from "undici";
import { defaultSettings } from "../src/config/settings.ts";
import { handlerFor } from "../src/extract/handlers.ts";
import { limitsOf } from "../src/extract/pool/pools.ts";
import { openSession } from "../src/session/session.ts";
import { fetchSource } from "../src/verbs/fetch.ts";

const [, , way = "", origin = "", home = "", roundCount = "200", turn = "0"] = process.argv;
const settings = { ...defaultSettings, home, "network.allow": [new URL(origin).host] };
const addressOf = (number: number): string => `${origin}/page/${number}`;

async function plain(number: number): Promise<Buffer> {
  const { body } = await request(addressOf(number));
  return Buffer.from(await body.arrayBuffer());
}

/** What the handler makes of the page, links resolved as ours are; nothing is stored. */
async function extracted(number: number): Promise<number> {
  const bytes = await plain(number);
  const [kind, mediaType, url] = ["html", "text/html", addressOf(number)] as const;
  const file = { content: { bytes }, sizeBytes: bytes.length, kind, mediaType, charset: "utf-8", url };
  const ask = { mode: "markdown", from: 0, limits: limitsOf(settings) } as const;
  let chars = 0;
  for await (const piece of handlerFor(kind, mediaType).extract(file, ask, session.signal))
    if ("segment" in piece) chars += piece.segment.text.length;
  return chars;
}

async function ours(number: number, noCache: boolean): Promise<number> {
  return (await fetchSource(addressOf(number), { noCache }, session)).fields.extracted_chars;
}

/** Peers are installed in this folder only, so the compiler does not know them. */
async function load<T>(name: string): Promise<T> {
  return (await import(name)) as T;
}

type Linkedom = { parseHTML(html: string): { document: unknown } };
type ReadabilityModule = { Readability: new (document: unknown) => { parse(): { content: string } | null } };
type TurndownModule = { default: new () => { turndown(html: string): string } };

async function peer(number: number): Promise<number> {
  const { parseHTML } = await load<Linkedom>("linkedom");
  const { Readability } = await load<ReadabilityModule>("@mozilla/readability");
  const { default: Turndown } = await load<TurndownModule>("turndown");
  const { document } = parseHTML((await plain(number)).toString());
  return new Turndown().turndown(new Readability(document).parse()?.content ?? "").length;
}

const ways: Readonly<Record<string, (number: number) => Promise<unknown>>> = {
  plain,
  extracted,
  ours: (number) => ours(number, true),
  again: () => ours(0, false),
  peer,
};

await using session = await openSession({ settings, env: {} });
const run = ways[way] ?? (() => Promise.reject(new Error(`There is no way ${way}.`)));
const rounds = Number(roundCount);
/** Every turn has pages of its own: what is kept already would cost less to keep. */
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
