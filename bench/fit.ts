/** What fitting 50 search results costs, beside two simpler ways of doing it. */
import type { SearchResult } from "../src/fit/estimate-results.ts";
import { truncateResultsBySize } from "../src/fit/fit-results.ts";
import { CHARACTER_LIMIT } from "../src/fit/limits.ts";

export const about = "CPU time to measure and truncate 50 search results, ours against naive ways.";

export async function run(): Promise<void> {
  console.table(workloads.flatMap(({ name, results }) => compare(name, results)));
}

function compare(name: string, results: readonly SearchResult[]) {
  const timed = ways.map(({ way, fit }) => ({ way, micros: cpuMicroseconds(() => fit(results)), ...fit(results) }));
  const ours = timed[0]?.micros ?? Number.NaN;
  return timed.map(({ way, micros, count, chars }) => {
    return {
      results: name,
      way,
      "CPU µs": Math.round(micros),
      ratio: (micros / ours).toFixed(1),
      returned: count,
      chars,
    };
  });
}

type Outcome = { readonly count: number; readonly chars: number };

const ways: readonly { way: string; fit(results: readonly SearchResult[]): Outcome }[] = [
  { way: "ours: estimate, then measure", fit: fitted },
  { way: "serialize after every result", fit: serializedPerStep },
  { way: "cut the JSON until it parses", fit: cutUntilItParses },
];

function fitted(results: readonly SearchResult[]): Outcome {
  const { reply } = truncateResultsBySize(results);
  return { count: reply.returned_count, chars: reply.truncation_info.actual_chars };
}

function serializedPerStep(results: readonly SearchResult[]): Outcome {
  const shown: SearchResult[] = [];
  let chars = 0;
  for (const result of results) {
    const next = JSON.stringify({ results: [...shown, result] }).length;
    if (next > CHARACTER_LIMIT) break;
    shown.push(result);
    chars = next;
  }
  return { count: shown.length, chars };
}

/** Closes the list after the last brace that gives valid JSON. */
function cutUntilItParses(results: readonly SearchResult[]): Outcome {
  const json = JSON.stringify({ results });
  if (json.length <= CHARACTER_LIMIT) return { count: results.length, chars: json.length };
  for (let end = json.lastIndexOf("}", CHARACTER_LIMIT - 3); end > 0; end = json.lastIndexOf("}", end - 1)) {
    const cut = `${json.slice(0, end + 1)}]}`;
    const count = countIfValid(cut);
    if (count !== null) return { count, chars: cut.length };
  }
  return { count: 0, chars: 0 };
}

function countIfValid(json: string): number | null {
  try {
    return JSON.parse(json).results.length;
  } catch {
    return null; // Most cuts are not JSON: that is what this way of doing it is about.
  }
}

const line = '\tif (order.total > limit) { return reject(order, "over the limit"); }\n';

const workloads = [
  { name: "1.2 KB each, all fit", results: ranked(line.repeat(17)) },
  { name: "4 KB each, truncated", results: ranked(line.repeat(58)) },
  { name: "escapes, dropped when measured", results: ranked('\u0001\t"'.repeat(480)) },
];

function ranked(content: string): SearchResult[] {
  return Array.from({ length: 50 }, (_, rank) => ({
    chunk_id: `chunk${rank}`.padEnd(16, "0"),
    file_path: `src/orders/rules/rule${rank}.ts`,
    content,
    start_line: 1 + rank,
    end_line: 60 + rank,
    similarity_score: 1 - rank / 100,
    context_before: "",
    context_after: "",
  }));
}

/** Average of enough rounds to be stable, after a warm-up. */
function cpuMicroseconds(work: () => unknown, rounds = 200): number {
  for (let round = 0; round < rounds; round += 1) work();
  const start = process.cpuUsage();
  for (let round = 0; round < rounds; round += 1) work();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / rounds;
}
