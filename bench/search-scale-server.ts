/** Searches the current folder in one process, as a server does, and prints what that takes as JSON. */
import { readFileSync } from "node:fs";
import type { openSession as Open, searchCode as Search, defaultSettings as Settings } from "../src/index.ts";
import { replaceFile } from "./replace-file.ts";

/** The published bundle: reading TypeScript takes memory. */
const library = new URL("../dist/index.js", import.meta.url).href;
const { defaultSettings, openSession, searchCode }: Library = await import(library);
type Library = {
  readonly defaultSettings: typeof Settings;
  readonly openSession: typeof Open;
  readonly searchCode: typeof Search;
};

const queries: readonly string[] = JSON.parse(process.env.BENCH_QUERIES ?? "[]");
const home = process.env.SPILLWAY_HOME ?? "";
// Every search asks whether anything has changed.
const waits = { "search.wait": 600_000, "search.refresh_wait": 60_000, "search.refresh_every": 0 };
await using session = await openSession({ settings: { ...defaultSettings, home, ...waits } });

/** CPU milliseconds of a whole search, and its results. */
async function search(query: string) {
  const before = process.cpuUsage();
  const { results } = await searchCode({ query }, session);
  const { user, system } = process.cpuUsage(before);
  return { cpuMs: (user + system) / 1_000, paths: results.map(({ file_path }) => file_path) };
}

/** The first search loads the index, the second begins to watch the folder; the code is warm after some more. */
const firstTimes: number[] = [];
for (const query of queries.slice(0, 20)) firstTimes.push((await search(query)).cpuMs);
const times: number[] = [];
for (const query of queries) times.push((await search(query)).cpuMs);
times.sort((one, other) => one - other);
const quantile = (share: number) => times[Math.floor(times.length * share)];

const [file = ""] = (await search(queries[0] ?? "")).paths;
const original = readFileSync(file);
const changedTimes: number[] = [];
try {
  for (let round = 0; round < 5; round++) {
    replaceFile(file, `${original}\nfunc spillwayScaleServer${round}() {}\n`);
    const { cpuMs, paths } = await search(`spillwayScaleServer${round}`);
    changedTimes.push(paths.includes(file) ? cpuMs : NaN);
  }
} finally {
  replaceFile(file, original);
}

const residentMegabytes = process.memoryUsage().rss / 1e6;
console.log(
  JSON.stringify({
    p50: quantile(0.5),
    p99: quantile(0.99),
    changedMs: Math.max(...changedTimes),
    residentMegabytes,
    firstTimes: firstTimes.slice(0, 2),
  }),
);
