/** Speed of code search: indexing, queries, re-indexing one file and opening, on generated code. */
import {
  appendFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { segmentsKey } from "../src/artifacts/keys.ts";
import { diskStorage } from "../src/artifacts/storage.ts";
import { openReader } from "../src/search/index/index-reader.ts";
import type { IndexLocation } from "../src/search/index/segments/segment-store.ts";
import { openSegmentStore, type SegmentStore } from "../src/search/index/segments/segment-store.ts";
import { openSqliteStore } from "../src/search/index/store/sqlite-index-store.ts";
import { updateIndex } from "../src/search/index/update-index.ts";
import { parseQuery } from "../src/search/rank/query.ts";
import { rankFiles } from "../src/search/rank/rank.ts";
import { checkouts } from "./search-data.ts";

const options = { maxFileBytes: 1 << 20, signal: new AbortController().signal, now: Date.now };
const QUERIES = 300;

export async function runSpeed(): Promise<void> {
  console.log(
    "\nSpeed, on generated code. Updates and opening in CPU ms; a bare walk is readdir and lstat of every file.\n",
  );
  console.log(
    "| chunks | index MB per CPU s | query p50 | p99 | FTS5 p50 | FTS5 / ours | one changed file | nothing changed | bare walk | open to first answer |",
  );
  console.log("|---|---|---|---|---|---|---|---|---|---|");
  for (const files of [420, 8_350]) console.log(await measure(files));
  if (existsSync(checkouts)) console.log(`\nIndexing the checked out repositories: ${await indexReal()}.`);
  console.log(`\n100,000 files of three lines: ${await indexMany(100_000)}.`);
}

/** The cost of each file, independent of its content. */
async function indexMany(fileCount: number): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "spillway-bench-"));
  try {
    const root = join(folder, "code");
    for (let file = 0; file < fileCount; file++) {
      const inside = join(root, `part${file % 500}`);
      if (file < 500) mkdirSync(inside, { recursive: true });
      const text = `export function handler${file}(value: number): number {\n  return value + ${file};\n}\n`;
      writeFileSync(join(inside, `file${file}.ts`), text);
    }
    using store = openSqliteStore(join(folder, "index.db"));
    const location = { root, store, segments: openSegments(folder) };
    const indexed = await cpuOf(() => updateIndex(location, options));
    const changed = await changeOne(location, openReader(store));
    const memory = Math.round(process.memoryUsage().rss / 1e6);
    const bare = await cpuOf(async () => bareWalk(root));
    return `indexed in ${milliseconds(indexed)} of CPU, one changed file ${milliseconds(changed)} (bare walk ${milliseconds(bare)}), ${memory} MB in use`;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The segments of an index whose data folder this is. */
const openSegments = (folder: string): SegmentStore =>
  openSegmentStore(
    diskStorage(folder),
    segmentsKey({ owner: "bench", project: "code", repository: "generated" }),
    Date.now,
  );

function bareWalk(folder: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) bareWalk(path);
    else lstatSync(path, { bigint: true });
  }
}

/** Real code is less dense than the generated code. */
async function indexReal(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "spillway-bench-"));
  try {
    using store = openSqliteStore(join(folder, "index.db"));
    const cpu = process.cpuUsage();
    const { bytes, files } = await updateIndex({ root: checkouts, store, segments: openSegments(folder) }, options);
    const { user, system } = process.cpuUsage(cpu);
    return `${files} files, ${(bytes / 1e6).toFixed(1)} MB, ${(bytes / (user + system)).toFixed(1)} MB per CPU s`;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measure(fileCount: number): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "spillway-bench-"));
  try {
    const root = join(folder, "code");
    const bytes = writeCode(root, fileCount);
    const cpu = process.cpuUsage();
    using store = openSqliteStore(join(folder, "index.db"));
    const location = { root, store, segments: openSegments(folder) };
    await updateIndex(location, options);
    const { user, system } = process.cpuUsage(cpu);
    const reader = openReader(store);
    const { view } = await reader.load(location.segments);
    const times = sortedTimes((query) => rankFiles(view, parseQuery(query), { limit: 10 }));
    const fts = fts5Times(store, view.liveChunks);
    const cells = [
      view.liveChunks,
      (bytes / (user + system)).toFixed(1),
      ...[quantile(times, 0.5), quantile(times, 0.99), fts].map(milliseconds),
      (fts / quantile(times, 0.5)).toFixed(1),
      milliseconds(await changeOne(location, reader)),
      milliseconds(await cpuOf(() => updateIndex(location, options))),
      milliseconds(await cpuOf(async () => bareWalk(root))),
      milliseconds(await cpuOf(() => openAndSearch(folder))),
    ];
    return `| ${cells.join(" | ")} |`;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const milliseconds = (time: number): string => `${time.toFixed(1)} ms`;

async function changeOne(location: IndexLocation, reader: ReturnType<typeof openReader>): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < 5; round++) {
    appendFileSync(join(location.root, "part0", "file0.ts"), `export const changed${round} = ${round};\n`);
    times.push(
      await cpuOf(async () => {
        await updateIndex(location, options);
        const { view } = await reader.load(location.segments);
        rankFiles(view, parseQuery(`changed${round}`), { limit: 10 });
      }),
    );
  }
  return quantile(
    times.sort((one, other) => one - other),
    0.5,
  );
}

async function openAndSearch(folder: string): Promise<void> {
  using store = openSqliteStore(join(folder, "index.db"));
  const { view } = await openReader(store).load(openSegments(folder));
  rankFiles(view, parseQuery("how are orders routed"), { limit: 10 });
}

function fts5Times(store: IndexLocation["store"], chunks: number): number {
  const database = new DatabaseSync(":memory:");
  database.exec("CREATE VIRTUAL TABLE chunks USING fts5(path, text, tokenize = 'porter unicode61')");
  const insert = database.prepare("INSERT INTO chunks (path, text) VALUES (?, ?)");
  database.exec("BEGIN");
  for (const { id } of store.files()) {
    const file = store.text(id);
    for (const { start, end } of file?.chunks ?? []) insert.run(file?.path ?? "", file?.text.slice(start, end) ?? "");
  }
  database.exec("COMMIT");
  const select = database.prepare("SELECT rowid FROM chunks WHERE chunks MATCH ? ORDER BY bm25(chunks, 2, 1) LIMIT 10");
  const rounds = chunks > 20_000 ? 30 : QUERIES;
  const times = sortedTimes(
    (query) => select.all((query.match(/\w+/g) ?? []).map((word) => `"${word}"`).join(" OR ")),
    rounds,
  );
  database.close();
  return quantile(times, 0.5);
}

function sortedTimes(search: (query: string) => unknown, rounds = QUERIES): number[] {
  const random = createRandom(7);
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const query = Array.from({ length: 3 + random(4) }, () => wordAt(random)).join(" ");
    const start = performance.now();
    search(query);
    times.push(performance.now() - start);
  }
  return times.sort((one, other) => one - other);
}

const quantile = (sorted: readonly number[], share: number): number => sorted[Math.floor(sorted.length * share)] ?? 0;

/** Milliseconds of CPU time, which depend least on the load of the machine. */
async function cpuOf(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

/** The same numbers in every run. */
function createRandom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const syllables =
  "or der rou te con fig par se cli ent ser ver hand ler bu fer que ry in dex to ken sto re up date ma tch".split(" ");

/** Few words are common and many are rare, as in real code. */
function wordAt(random: (below: number) => number): string {
  const rank = Math.floor(4_000 ** (random(10_000) / 10_000));
  const own = createRandom(rank * 7_919 + 1);
  return Array.from({ length: 2 + (rank % 3) }, () => syllables[own(syllables.length)]).join("");
}

/** Writes files of about twelve chunks each, and gives their total size. */
function writeCode(root: string, fileCount: number): number {
  const random = createRandom(1);
  let bytes = 0;
  for (let file = 0; file < fileCount; file++) {
    const folder = join(root, `part${file % 40}`);
    mkdirSync(folder, { recursive: true });
    const text = Array.from({ length: 12 }, () => functionText(random)).join("\n");
    writeFileSync(join(folder, `file${file}.ts`), text);
    bytes += text.length;
  }
  return bytes;
}

function functionText(random: (below: number) => number): string {
  const word = () => wordAt(random);
  const name = () => `${word()}${word().replace(/^./, (letter) => letter.toUpperCase())}`;
  const body = Array.from(
    { length: 6 },
    () => `  const ${name()} = ${word()}.${name()}(${word()}, ${word()}); // ${word()} ${word()}\n`,
  );
  return `/** ${word()} the ${word()} of a ${word()}. */\nexport function ${name()}(${word()}: string): void {\n${body.join("")}}\n`;
}
