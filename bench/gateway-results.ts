/** What reaches a model of the results of ten tools of two servers, before and after, and the calls that read on. */
import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Client } from "@modelcontextprotocol/client";
import { gateway, overStdio, peer, root, type Way } from "./gateway-ways.ts";

type Sample = {
  readonly server: "filesystem" | "memory";
  readonly tool: string;
  /** What it is asked for. */
  readonly name: string;
  readonly args: object;
};

/** Prints a row for each sample, and their sum. */
export async function measureResults(folder: string): Promise<void> {
  const corpus = process.env.SPILLWAY_CORPUS ?? join(root, "..", "shared", "corpus");
  const allowed = [root, folder, ...(existsSync(corpus) ? [corpus] : [])];
  const open = (name: string, args: readonly string[]) => openPair(folder, name, args);
  const [filesystem, memory] = [await open("filesystem", allowed), await open("memory", [])];
  await memory.plain.client.callTool({ name: "create_entities", arguments: { entities: makeEntities() } });
  console.log("\n| tool | result | characters sent | shown | share | reads to the end | reads to a fact in it |");
  console.log("| --- | --- | --- | --- | --- | --- | --- |");
  const rows: Row[] = [];
  for (const sample of listSamples(folder, corpus)) {
    const row = await measureSample(sample, sample.server === "memory" ? memory : filesystem);
    console.log(formatRow([sample.tool, sample.name], row));
    rows.push(row);
  }
  console.log(formatRow(["all", `${rows.length} results`], rows.reduce(addRows)));
  for (const way of [filesystem.plain, filesystem.wrapped, memory.plain, memory.wrapped]) await way.close();
}

type Pair = { readonly plain: Way; readonly wrapped: Way };

async function openPair(folder: string, name: string, args: readonly string[]): Promise<Pair> {
  const command = [process.execPath, peer(`@modelcontextprotocol/server-${name}/dist/index.js`), ...args];
  return { plain: await overStdio(folder, command), wrapped: await overStdio(folder, [...gateway, ...command]) };
}

const makeEntities = () =>
  Array.from({ length: 1_500 }, (_, n) => ({
    name: `module ${n}`,
    entityType: "module",
    observations: [`It has ${n} lines.`],
  }));

function listSamples(folder: string, corpus: string): readonly Sample[] {
  const files = (tool: string, name: string, args: object): Sample => ({ server: "filesystem", tool, name, args });
  const memory = (tool: string, name: string, args: object): Sample => ({ server: "memory", tool, name, args });
  const file = (name: string, path: string): Sample => files("read_text_file", name, { path });
  const pages = join(corpus, "html", "wcxb-dev", "html");
  const page = existsSync(pages) ? readdirSync(pages).find((name) => name.endsWith(".html")) : undefined;
  const docs = readdirSync(join(root, "docs")).filter((name) => name.endsWith(".md"));
  const { log, table, picture } = writeSamples(folder);
  return [
    file("Markdown: CHANGELOG.md", join(root, "CHANGELOG.md")),
    file("JSON: package-lock.json", join(root, "package-lock.json")),
    file("code: a file of tests", join(root, "src", "search", "search.integration.test.ts")),
    file("a log of 5,000 lines", log),
    file("a table of 6,000 rows", table),
    ...(page === undefined ? [] : [file("a web page of the corpus", join(pages, page))]),
    files("read_multiple_files", `${docs.length} pages of docs`, {
      paths: docs.map((name) => join(root, "docs", name)),
    }),
    files("read_media_file", "a picture of 0.4 MB", { path: picture }),
    files("directory_tree", "src", { path: join(root, "src") }),
    files("search_files", "src/**/*.ts", { path: root, pattern: "src/**/*.ts" }),
    files("list_directory", "src/surfaces", { path: join(root, "src", "surfaces") }),
    files("list_directory_with_sizes", "test", { path: join(root, "test") }),
    memory("read_graph", "1,500 entities", {}),
    memory("search_nodes", "entities with a 7", { query: "7" }),
    memory("open_nodes", "one entity", { names: ["module 7"] }),
  ];
}

/** Files whose like is not in every clone. */
function writeSamples(folder: string) {
  const [log, table, picture] = ["bench.log", "bench.csv", "bench.png"].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  const entries = Array.from({ length: 5_000 }, (_, n) => `2026-01-01 00:00:00 INFO request ${n} took ${n % 90} ms`);
  const rows = Array.from({ length: 6_000 }, (_, n) => `${n},river ${n},${n % 700}`);
  writeFileSync(log, entries.join("\n"));
  writeFileSync(table, ["id,name,km", ...rows].join("\n"));
  const noise = Uint8Array.from({ length: 400_000 }, (_, index) => (index * index) % 251);
  writeFileSync(picture, Buffer.concat([Buffer.from("89504e470d0a1a0a0000000d49484452", "hex"), noise]));
  return { log, table, picture };
}

type Row = { readonly sent: number; readonly shown: number; readonly reads: number; readonly readsToFact: number };

const addRows = (one: Row, other: Row): Row => ({
  sent: one.sent + other.sent,
  shown: one.shown + other.shown,
  reads: one.reads + other.reads,
  readsToFact: one.readsToFact + other.readsToFact,
});

const formatRow = (names: readonly string[], { sent, shown, reads, readsToFact }: Row): string =>
  `| ${[...names, sent, shown, `${((100 * shown) / sent).toFixed(0)} %`, reads, readsToFact].join(" | ")} |`;

async function measureSample({ tool: name, args }: Sample, { plain, wrapped }: Pair): Promise<Row> {
  const call = { name, arguments: { ...args } };
  const sent = await plain.client.callTool(call);
  const result = await wrapped.client.callTool(call);
  const page = readText(result);
  return {
    sent: countChars(sent),
    shown: countChars(result),
    reads: await countReads(wrapped.client, page),
    readsToFact: await countReadsToFact(wrapped.client, page, findFact(readText(sent))),
  };
}

type Result = { readonly content?: unknown; readonly structuredContent?: unknown };
type Block = { readonly text?: string; readonly data?: string };

const readText = ({ content }: Result): string => (content as Block[]).map(({ text = "" }) => text).join("\n");

/** The longer of the two forms: clients show one of them. */
const countChars = ({ content, structuredContent }: Result): number =>
  Math.max(
    (content as Block[]).reduce((sum, { text = "", data = "" }) => sum + text.length + data.length, 0),
    JSON.stringify(structuredContent ?? "").length,
  );

const findRef = (page: string): string | undefined => /artifact_ref=(af_[0-9a-f]{32})/.exec(page)?.[1];

const MAX_READS = 1_000;

/** Calls that read all of a bounded result; none for one that was shown whole. */
async function countReads(client: Client, page: string): Promise<number> {
  const artifact_ref = findRef(page);
  if (artifact_ref === undefined) return 0;
  let offset = Number(/offset=(\d+)/.exec(page)?.[1] ?? 0);
  for (let reads = 1; ; reads++) {
    const reply = readText(await client.callTool({ name: "read_artifact", arguments: { artifact_ref, offset } }));
    const [, next] = /Read on: read_artifact artifact_ref=\w+ offset=(\d+)/.exec(reply) ?? [];
    if (next === undefined || reads === MAX_READS) return reads;
    offset = Number(next);
  }
}

/** The words of a line at two thirds of a text: what a model might look for. */
function findFact(text: string): string {
  const lines = text.split(/\r?\n|(?<=\}),/).filter((line) => /\w{3}/.test(line));
  return lines[Math.floor((lines.length * 2) / 3)]?.trim().slice(0, 80) ?? "";
}

/** One call with a question; if its answer does not have the fact, the calls that read up to it. */
async function countReadsToFact(client: Client, page: string, fact: string): Promise<number> {
  const artifact_ref = findRef(page);
  if (artifact_ref === undefined || page.includes(fact)) return 0;
  const query = fact.replaceAll(/[^\w.-]+/g, " ");
  const found = readText(await client.callTool({ name: "read_artifact", arguments: { artifact_ref, query } }));
  if (found.includes(fact)) return 1;
  let offset = Number(/offset=(\d+)/.exec(page)?.[1] ?? 0);
  for (let reads = 2; ; reads++) {
    const reply = readText(await client.callTool({ name: "read_artifact", arguments: { artifact_ref, offset } }));
    const [, next] = /Read on: read_artifact artifact_ref=\w+ offset=(\d+)/.exec(reply) ?? [];
    if (reply.includes(fact) || next === undefined || reads === MAX_READS) return reads;
    offset = Number(next);
  }
}
