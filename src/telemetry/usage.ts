/** Usage: what events add up to, per day, run, client and tool. */
import { clip } from "../system/safe-names.ts";
import type { CallOrigin, Event } from "./events.ts";

/** The counts of usage and what each means; docs and help show them in this order. */
export const usageCounts = {
  replies: "Replies: tool calls, and fetches, reads and searches of the command line or the library.",
  errors: "Replies that were an error.",
  answers: "Fetches, reads, searches and results of wrapped servers that had to be cut.",
  truncated: "How many of these were cut.",
  bytes_in: "Bytes of the sources fetched, without cache hits.",
  bytes_out: "Bytes of the text of tool replies.",
  chars_extracted: "Characters extracted from sources.",
  chars_out: "Characters of replies.",
  chars_allowed: "Characters that these replies were allowed.",
  chars_kept_out: "Characters that were extracted or returned by a wrapped server, and left out of the reply.",
  reads: "Reads of kept artifacts.",
  read_chars: "Characters that these reads returned: what keeping text out of replies cost.",
  cache_hits: "Fetches that the cache answered.",
  overflows_recovered: "Requests made smaller and accepted, or made smaller before they were sent.",
  overflows_failed: "Requests that stayed too large.",
  tokens_saved: "Tokens that requests were made smaller by, estimated from their bytes.",
  index_jobs: "Runs of the code indexer.",
  web_searches: "Requests to web search providers.",
  duration_ms: "Wall time of replies, in milliseconds.",
} as const;

export type UsageCount = keyof typeof usageCounts;

export const usageNames = Object.keys(usageCounts) as UsageCount[];

export type Usage = Readonly<Partial<Record<UsageCount, number>>>;

/** The usage of one run on one day with one client and tool; empty where none is known. */
export type UsageRow = {
  readonly day: string;
  readonly client: string;
  readonly tool: string;
  readonly usage: Usage;
};

/** An average over English text and code; attached bytes are fewer tokens. */
const BYTES_PER_TOKEN = 4;

/** What one event adds. A tool call is one reply, whatever it fetched and read. */
export function countUsage(event: Event, origin: CallOrigin | undefined): Usage {
  const reply = (usage: Usage): Usage => (origin === undefined ? { replies: 1, ...usage } : {});
  switch (event.event) {
    case "tool.called":
      return {
        ...{ replies: 1, errors: event.error === null ? 0 : 1, bytes_out: event.text_bytes },
        ...{ chars_out: event.text_chars, chars_allowed: event.limit_chars, duration_ms: event.duration_ms },
      };
    case "ingest.completed":
      return {
        ...reply({ ...sizes(event), duration_ms: event.duration_ms, errors: event.error === null ? 0 : 1 }),
        ...{ answers: 1, truncated: event.truncated ? 1 : 0, cache_hits: event.cached ? 1 : 0 },
        ...{ bytes_in: event.cached ? 0 : event.size_bytes, chars_extracted: event.extracted_chars },
        chars_kept_out: Math.max(0, event.extracted_chars - event.returned_chars),
      };
    case "ingest.failed":
      return reply({ errors: 1 });
    case "artifact.read":
      return {
        ...reply(sizes(event)),
        ...{ answers: 1, truncated: event.truncated ? 1 : 0, reads: 1, read_chars: event.returned_chars },
      };
    case "search.completed":
      return {
        ...reply({
          ...{ chars_out: event.actual_chars, chars_allowed: event.limit_chars, duration_ms: event.duration_ms },
        }),
        ...{ answers: 1, truncated: event.truncated ? 1 : 0 },
      };
    case "gateway.bounded":
      return {
        ...{ replies: 1, chars_out: event.returned_chars, chars_allowed: event.limit_chars, answers: 1, truncated: 1 },
        chars_kept_out: Math.max(0, event.total_chars - event.returned_chars),
      };
    case "overflow.recovered":
      return { overflows_recovered: 1, tokens_saved: countSavedTokens(event) };
    case "overflow.repeated":
      return { tokens_saved: countSavedTokens(event) };
    case "overflow.failed":
      return { overflows_failed: 1 };
    case "index.completed":
      return { index_jobs: 1 };
    case "web.searched":
      return { web_searches: 1 };
    default:
      return {};
  }
}

/** Tokens that a request was made smaller by; 0 for other events. */
export function countSavedTokens(event: Event): number {
  if (event.event !== "overflow.recovered" && event.event !== "overflow.repeated") return 0;
  return Math.max(0, Math.round((event.bytes_before - event.bytes_after) / BYTES_PER_TOKEN));
}

const sizes = ({ returned_chars, limit_chars }: { returned_chars: number; limit_chars: number }): Usage => ({
  chars_out: returned_chars,
  chars_allowed: limit_chars,
});

/** Longer names of tools of wrapped servers are clipped. */
const MAX_NAME_CHARS = 100;

export type UsageCollector = {
  add(event: Event, origin: CallOrigin | undefined, at: number): void;
  /** Adds rows that could not be written, for the next try. */
  addRows(rows: readonly UsageRow[]): void;
  /** Everything collected since the last time. */
  take(): UsageRow[];
};

/** Adds up usage until it is written. Its memory grows with clients and tools, not with events. */
export function createUsageCollector(): UsageCollector {
  let rows = new Map<string, UsageRow>();

  function addRow({ day, client, tool, usage }: UsageRow): void {
    const key = JSON.stringify([day, client, tool]);
    rows.set(key, { day, client, tool, usage: addUsage(rows.get(key)?.usage ?? {}, usage) });
  }

  return {
    add(event, origin, at) {
      const usage = countUsage(event, origin);
      if (Object.values(usage).every((count) => count === 0)) return;
      addRow({ day: dayOf(at), ...whoOf(event, origin), usage });
    },
    addRows: (given) => given.forEach(addRow),
    take() {
      const taken = [...rows.values()];
      rows = new Map();
      return taken;
    },
  };
}

/** `2026-11-16`, in UTC as events are. */
export const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10);

function addUsage(one: Usage, other: Usage): Usage {
  return Object.fromEntries(usageNames.map((name) => [name, (one[name] ?? 0) + (other[name] ?? 0)]));
}

function whoOf(event: Event, origin: CallOrigin | undefined): { readonly client: string; readonly tool: string } {
  if (event.event === "tool.called") return { client: event.client ?? "", tool: clip(event.tool, MAX_NAME_CHARS) };
  if (event.event === "gateway.bounded")
    return { client: event.client ?? "", tool: clip(`${event.server}: ${event.tool}`, MAX_NAME_CHARS) };
  return { client: origin?.client ?? "", tool: clip(origin?.tool ?? "", MAX_NAME_CHARS) };
}
