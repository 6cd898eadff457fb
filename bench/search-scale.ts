/** Code search on large trees: indexing, searches from the command line and in a server, and peers. */
import { spawnSync } from "node:child_process";
import { existsSync, lstatSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { chunkText, measureLines } from "../src/search/index/chunk.ts";
import { findDefinition } from "../src/search/index/definitions.ts";
import { decodeSource, readSource } from "../src/search/index/folder/source-file.ts";
import { walkFolder } from "../src/search/index/folder/walk-folder.ts";
import { replaceFile } from "./replace-file.ts";
import { checkouts } from "./search-data.ts";

export const about =
  "large trees: indexing, searches by command and in a server, memory, beside ripgrep, FTS5 and zoekt";

/** The trees, which are checked out by hand. Several are separated like the folders of PATH. */
const trees = process.env.SPILLWAY_SCALE_TREE?.split(delimiter) ?? [join(checkouts, "kubernetes")];
const program = join(import.meta.dirname, "..", "dist", "cli.js");
const MAX_QUERIES = 100;

/** Prints a table for each tree, of this program and of what else is installed. */
export async function run(): Promise<void> {
  if (!existsSync(program)) return console.log("\nScale is not measured: run npm run build first.");
  for (const tree of trees) {
    if (existsSync(tree)) await measureTree(tree);
    else console.log("\nScale is not measured: set SPILLWAY_SCALE_TREE to a large checkout.");
  }
}

async function measureTree(tree: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "spillway-scale-"));
  try {
    const sources = await listSources(tree);
    const queries = await makeQueries(tree, sources);
    console.log(`\nScale: ${describe(sources)}, ${queries.length} queries. CPU time, all threads.\n`);
    console.log(
      "| | index MB per CPU s | index / text | one search by command, CPU s | whole search in a server, p50 | p99, CPU ms | RSS MB |",
    );
    console.log("|---|---|---|---|---|---|---|");
    const textBytes = sources.reduce((sum, { bytes }) => sum + bytes, 0);
    const { row, notes } = measureOurs(tree, folder, queries, textBytes);
    console.log(row);
    console.log(await measureFts5(tree, folder, sources, queries, textBytes));
    for (const peer of [measureRipgrep(tree, queries), measureZoekt(tree, folder, queries, textBytes)])
      if (peer !== null) console.log(peer);
    console.log(`\n${notes}`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** An indexed file. Texts are read again where they are needed: those of a large tree do not fit into memory. */
type Source = { readonly path: string; readonly bytes: number; readonly chunks: number };

async function listSources(tree: string): Promise<Source[]> {
  const sources: Source[] = [];
  for (const step of walkFolder(tree)) {
    const text = "file" in step ? await readText(tree, step.file.path) : null;
    if (text === null || !("file" in step)) continue;
    sources.push({ path: step.file.path, bytes: Buffer.byteLength(text), chunks: chunkText(text).length });
  }
  return sources;
}

/** The text that is indexed, as it is read from the disk; null for a file that is not. */
async function readText(tree: string, path: string): Promise<string | null> {
  const source = readSource(tree, path, 4 << 20);
  const decoded = "bytes" in source ? await decodeSource(source.bytes, path) : { reason: "" };
  return "text" in decoded ? decoded.text : null;
}

function describe(sources: readonly Source[]): string {
  const chunks = sources.reduce((sum, source) => sum + source.chunks, 0);
  const megabytes = sources.reduce((sum, { bytes }) => sum + bytes, 0) / 1e6;
  return `${sources.length} files, ${megabytes.toFixed(0)} MB, ${chunks} chunks`;
}

/** In turn a defined name and the first comment of a file, from files in equal distances; none twice. */
async function makeQueries(tree: string, sources: readonly Source[]): Promise<string[]> {
  const step = Math.max(1, Math.floor(sources.length / (MAX_QUERIES * 3)));
  const queries = new Set<string>();
  for (let index = 0; index < sources.length && queries.size < MAX_QUERIES; index += step) {
    const text = (await readText(tree, sources[index]?.path ?? "")) ?? "";
    const query = queries.size % 2 === 0 ? firstName(text) : firstSentence(text);
    if (query !== null) queries.add(query);
  }
  return [...queries];
}

function firstName(text: string): string | null {
  const { count, starts, indents } = measureLines(text);
  for (let line = 0; line < count; line++) {
    const definition = findDefinition(text, starts[line] ?? 0, starts[line + 1] ?? 0, indents[line] ?? -1);
    if (definition !== null && definition.rank > 1) return text.slice(definition.start, definition.end);
  }
  return null;
}

function firstSentence(text: string): string | null {
  const lines = text
    .split("\n")
    .flatMap((line) => /^\s*(?:\/\/|#|\*)\s+([A-Za-z][^:;{}()<>]{30,90})$/.exec(line)?.[1] ?? []);
  return lines.find((line) => !/copyright|license|warrant|permission|software/i.test(line)) ?? null;
}

/** Without the variables of benches: the program refuses those that it does not know. */
const otherVariables = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !name.startsWith("SPILLWAY_")),
);

/** What a child process used, as `store-meter.ts` prints it. */
function meter(
  tree: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): { cpuMs: number; peakMegabytes: number; stdout: string } {
  const run = spawnSync(process.execPath, ["--import", join(import.meta.dirname, "store-meter.ts"), ...args], {
    cwd: tree,
    env: { ...otherVariables, ...env },
    encoding: "utf8",
    maxBuffer: 1 << 28,
  });
  if (run.status !== 0) throw new Error(`${args.join(" ")} failed: ${run.stderr.slice(0, 500)}`, { cause: run.error });
  const [, cpu = "NaN", peak = "NaN"] = /meter ([\d.]+) ([\d.]+)/.exec(run.stderr) ?? [];
  return { cpuMs: Number(cpu), peakMegabytes: Number(peak), stdout: run.stdout };
}

/** The row of this program, and what else a server takes. */
function measureOurs(tree: string, folder: string, queries: readonly string[], textBytes: number) {
  const env = { SPILLWAY_HOME: join(folder, "home"), BENCH_QUERIES: JSON.stringify(queries) };
  const indexed = meter(tree, [program, "index"], env);
  const index = join(folder, "home");
  const indexBytes = sizeOf(index);
  const [name = "", words = name] = [queries[0], queries[1]];
  meter(tree, [program, "search", name], env); // The first may settle what changed just before it was indexed.
  const before = stampsOf(index);
  const runs = [name, words, name].map((query) => meter(tree, [program, "search", query], env).cpuMs);
  const written = stampsOf(index) === before ? "no index file" : "index files";
  const changed = changeOne(tree, env);
  const server = JSON.parse(meter(tree, [join(import.meta.dirname, "search-scale-server.ts")], env).stdout);
  const cells = [
    (textBytes / 1e3 / indexed.cpuMs).toFixed(1),
    (indexBytes / textBytes).toFixed(2),
    `${seconds(Math.max(...runs))} (wrote ${written}; with one changed file ${seconds(changed)})`,
    server.p50.toFixed(1),
    `${server.p99.toFixed(1)} (one changed file found: ${server.changedMs.toFixed(0)})`,
    `${server.residentMegabytes.toFixed(0)} (indexing: ${indexed.peakMegabytes.toFixed(0)})`,
  ];
  const [first, second] = server.firstTimes.map(seconds);
  const notes =
    `In the server, the first search (which loads the index and looks at all files) takes ${first} CPU s, ` +
    `the second (which begins to watch and looks again) ${second} CPU s.`;
  return { row: `| Spillway | ${cells.join(" | ")} |`, notes };
}

const seconds = (ms: number): string => (ms / 1_000).toFixed(2);

/** The CPU of a search that finds a line which was just added; the line is removed again. */
function changeOne(tree: string, env: NodeJS.ProcessEnv): number {
  const file = [...walkFolder(tree)].flatMap((step) =>
    "file" in step && step.file.path.endsWith(".go") ? [step.file.path] : [],
  )[0];
  if (file === undefined) return NaN;
  const original = readFileSync(join(tree, file));
  try {
    replaceFile(join(tree, file), `${original}\nfunc spillwayScaleBench() {}\n`);
    const wait = ["--set", "search.refresh_wait=60s"];
    const { cpuMs, stdout } = meter(tree, [program, "search", "spillwayScaleBench", ...wait], env);
    return stdout.includes(file) ? cpuMs : NaN;
  } finally {
    replaceFile(join(tree, file), original);
  }
}

function sizeOf(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
}

/** What is not the index: shared memory, events, counters of use, and the time when the index was last opened. */
const otherFiles = /-shm$|\.jsonl$|^catalogue\.db|^repository\.json$|^(?:reserve|swept|journal)$/;

/** Changes with any write to the index. */
function stampsOf(folder: string): string {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !otherFiles.test(entry.name))
    .map(({ parentPath, name }) => [name, lstatSync(join(parentPath, name))] as const)
    .filter(([, { size }]) => size > 0)
    .map(([name, { size, mtimeMs }]) => `${name} ${size} ${mtimeMs}`)
    .sort()
    .join("\n");
}

/** Reading the files is not counted. */
async function measureFts5(
  tree: string,
  folder: string,
  sources: readonly Source[],
  queries: readonly string[],
  textBytes: number,
): Promise<string> {
  const path = join(folder, "fts5.db");
  using database = new DatabaseSync(path);
  database.exec("CREATE VIRTUAL TABLE chunks USING fts5(path, text, tokenize = 'porter unicode61')");
  const insert = database.prepare("INSERT INTO chunks (path, text) VALUES (?, ?)");
  let built = 0;
  database.exec("BEGIN");
  for (const { path: file } of sources) {
    const text = (await readText(tree, file)) ?? "";
    const started = process.cpuUsage();
    for (const { start, end } of chunkText(text)) insert.run(file, text.slice(start, end));
    built += cpuSince(started);
  }
  const committing = process.cpuUsage();
  database.exec("COMMIT");
  built += cpuSince(committing);
  const select = database.prepare("SELECT rowid FROM chunks WHERE chunks MATCH ? ORDER BY bm25(chunks, 2, 1) LIMIT 10");
  const times = queries.map((query) => {
    const before = process.cpuUsage();
    select.all((query.match(/\w+/g) ?? ["x"]).map((word) => `"${word}"`).join(" OR "));
    return cpuSince(before);
  });
  const rate = (textBytes / 1e3 / built).toFixed(1);
  return `| SQLite FTS5, any word | ${rate} | ${(statSync(path).size / textBytes).toFixed(2)} | | ${quantiles(times)} | |`;
}

function cpuSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

function quantiles(times: readonly number[]): string {
  const sorted = times.toSorted((one, other) => one - other);
  return [0.5, 0.99].map((share) => (sorted[Math.floor(sorted.length * share)] ?? NaN).toFixed(1)).join(" | ");
}

/** CPU seconds of a program, by the shell; null if it is not installed. */
function shellCpu(command: string, args: readonly string[], cwd: string): number | null {
  const script = 'TIMEFORMAT="spent %U %S"; time "$0" "$@" > /dev/null 2>&1';
  const { stderr, status } = spawnSync("bash", ["-c", script, command, ...args], { cwd, encoding: "utf8" });
  const [, user, system] = /spent ([\d.]+) ([\d.]+)/.exec(stderr) ?? [];
  return status === 127 || user === undefined ? null : Number(user) + Number(system);
}

const PEER_QUERIES = 20;

function measureRipgrep(tree: string, queries: readonly string[]): string | null {
  const times = queries.slice(0, PEER_QUERIES).map((query) => {
    return shellCpu("rg", ["--count", "--ignore-case", "-e", (query.match(/\w{3,}/g) ?? ["x"]).join("|"), "."], tree);
  });
  return times.includes(null) ? null : `| ripgrep, any word | | 0 | ${median(times)} | | | |`;
}

/** `zoekt-index` and `zoekt` from the path. Its searches are by command: each loads the index again. */
function measureZoekt(tree: string, folder: string, queries: readonly string[], textBytes: number): string | null {
  const index = join(folder, "zoekt");
  const built = shellCpu("zoekt-index", ["-index", index, tree], folder);
  if (built === null) return null;
  const times = queries.slice(0, PEER_QUERIES).map((query) => {
    return shellCpu("zoekt", ["-index_dir", index, "-l", (query.match(/\w{3,}/g) ?? ["x"]).join(" or ")], tree);
  });
  const rate = (textBytes / 1e6 / built).toFixed(1);
  return `| zoekt, any word | ${rate} | ${(sizeOf(index) / textBytes).toFixed(2)} | ${median(times)} | | | |`;
}

function median(times: readonly (number | null)[]): string {
  const sorted = times.map(Number).toSorted((one, other) => one - other);
  return (sorted[Math.floor(sorted.length / 2)] ?? NaN).toFixed(2);
}
