/** A year of events: what sums cost that are kept as rows, beside reading the logs. */
import { appendFile, mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readLargest, readOutcomes } from "../src/catalogue/outcome-rows.ts";
import { addUsageRows, readUsage, type UsageGroup, usageGroups } from "../src/catalogue/usage-rows.ts";
import { defaultSettings } from "../src/config/settings.ts";
import { openSession, type Session } from "../src/session/session.ts";
import { parseLine } from "../src/telemetry/event-log.ts";
import type { Event } from "../src/telemetry/events.ts";
import { createUsageCollector, dayOf, outcomeEvents } from "../src/telemetry/usage.ts";

export const about = "a year of events, added up from rows and from logs";

const DAYS = 365;
const EVENTS_PER_DAY = 1_000;
const DAY_MS = 86_400_000;

export async function run(): Promise<void> {
  const home = await mkdtemp(join(tmpdir(), "spillway-usage-"));
  try {
    const session = await openSession({ settings: { ...defaultSettings, home, run: "bench" }, cwd: home });
    const logs = join(home, "year");
    await mkdir(logs);
    const writeMs = await writeYear(session, logs);
    await compare(session, logs, writeMs);
    await session[Symbol.asyncDispose]();
  } finally {
    await rm(home, { recursive: true });
  }
}

/** Writes logs and rows of the same events, each day under a run of its own. Returns the CPU time of the rows of a day. */
async function writeYear({ store }: Session, logs: string): Promise<number> {
  const { catalogue, ownerId: owner } = store;
  const now = Date.now();
  let writeMs = 0;
  for (let ago = DAYS - 1; ago >= 0; ago--) {
    const at = now - ago * DAY_MS;
    const events = Array.from({ length: EVENTS_PER_DAY }, (_, index) => makeEvent(index));
    const lines = events.map((event) =>
      JSON.stringify({ at: new Date(at).toISOString(), run: `run ${ago}`, ...event }),
    );
    await appendFile(join(logs, `${dayOf(at)}.jsonl`), `${lines.join("\n")}\n`);
    writeMs += await measureCpuMs(async () => {
      const collector = createUsageCollector();
      for (const event of events) collector.add(event, originOf(event), at);
      await addUsageRows(catalogue, { owner, run: `run ${ago}`, now, batch: `day ${ago}` }, collector.take());
    });
  }
  return writeMs / DAYS;
}

const kinds = ["text", "html", "pdf", "office_doc", "image", "archive"];
const signals = ["mime", "magic", "extension", "content"];
const originOf = ({ event }: Event) =>
  event.startsWith("overflow.") ? undefined : { tool: "fetch_content", client: "codex" };

/** A mix as an agent makes it: calls with a fetch each, some reads, an overflow now and then. */
function makeEvent(index: number): Event {
  const client = `client ${index % 6}`;
  switch (index % 4) {
    case 0:
      return {
        ...{ event: "tool.called", tool: `tool ${index % 10}`, client, text_chars: index, text_bytes: index },
        ...{ structured_chars: 9, limit_chars: 9_000, bound: "client", duration_ms: 7, error: null },
      };
    case 1:
      return {
        ...{ event: "ingest.classified", artifact_ref: "af_1", source: "https://a.example", media_type: "text/html" },
        ...{ content_kind: kinds[index % 6] ?? "", decided_by: signals[index % 4] ?? "", signals: {}, size_bytes: 900 },
      };
    case 2:
      return {
        ...{ event: "ingest.completed", artifact_ref: "af_1", content_kind: "text", handler: "text", size_bytes: 900 },
        ...{ extracted_chars: 800, returned_chars: 100, limit_chars: 100, bound: "client", truncated: true },
        ...{ source_truncated: false, status_code: 200, cached: false, duration_ms: 7, error: null },
      };
    default:
      return {
        ...{
          event: "overflow.recovered",
          dialect: "openai-chat",
          class: "context_tokens",
          attempts: 2,
          clamped: false,
        },
        ...{ bytes_before: 9_000, bytes_after: 4_000, stubs: ["af_1"] },
      };
  }
}

async function compare({ store }: Session, logs: string, writeMs: number): Promise<void> {
  const { catalogue, ownerId: owner } = store;
  const since = dayOf(Date.now() - (DAYS - 1) * DAY_MS);
  const fromLogs = await measure(() => countLogs(logs));
  const count = (DAYS * EVENTS_PER_DAY).toLocaleString("en");
  console.log(`${count} events on ${DAYS} days. CPU time, the least of three.\n`);
  console.log("| question | rows | logs |\n| --- | ---: | ---: |");
  const print = async (question: string, ask: () => Promise<unknown>) =>
    console.log(`| ${question} | ${formatMs(await measure(ask))} | ${formatMs(fromLogs)} |`);
  for (const by of usageGroups) await print(`counts by ${by}`, () => readUsage(catalogue, { owner, by, since }));
  const groups: readonly (UsageGroup | undefined)[] = [undefined, "day"];
  for (const by of groups)
    await print(`outcomes ${by === undefined ? "in all" : `by ${by}`}`, () =>
      readOutcomes(catalogue, { owner, events: outcomeEvents, since, by }),
    );
  const query = { owner, events: ["tool.called"], since, by: ["client"] } as const;
  await print("largest reply of each client", () => readLargest(catalogue, query, 200));
  console.log(`\nWriting the rows of a day (${EVENTS_PER_DAY.toLocaleString("en")} events): ${formatMs(writeMs)}.`);
}

/** What the same sums take without rows. */
async function countLogs(folder: string): Promise<void> {
  const collector = createUsageCollector();
  for (let ago = 0; ago < DAYS; ago++) {
    const text = await readFile(join(folder, `${dayOf(Date.now() - ago * DAY_MS)}.jsonl`), "utf8").catch(() => "");
    for (const event of text.split("\n").flatMap(parseLine))
      collector.add(event, originOf(event), Date.parse(event.at));
  }
  collector.take();
}

const formatMs = (ms: number): string => `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`;

async function measure(work: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < 3; round++) times.push(await measureCpuMs(work));
  return Math.min(...times);
}

async function measureCpuMs(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
