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

/**
 * How often something ended in one way, on one day with one client and tool: how a source was treated, what became of a
 * request that was too large, how large replies and results of wrapped servers were.
 */
export type OutcomeRow = {
  readonly day: string;
  readonly client: string;
  readonly tool: string;
  readonly event: Event["event"];
  /** The kind of the source, the class of the overflow, the wrapped server, or what bound the reply. */
  readonly kind: string;
  /** The signal that decided, the code, the reason, or the tool of the wrapped server. */
  readonly reason: string;
  readonly count: number;
  readonly bytes_before: number;
  readonly bytes_after: number;
  /** The largest size, and what was allowed then. */
  readonly largest: number;
  readonly largest_limit: number;
};

/** What was counted since it was last written. */
export type UsageBatch = { readonly rows: readonly UsageRow[]; readonly outcomes: readonly OutcomeRow[] };

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

/** The events whose outcomes are counted. */
export const outcomeEvents = [
  ...(["ingest.classified", "ingest.failed", "tool.called", "gateway.bounded"] as const),
  ...(["overflow.classified", "overflow.recovered", "overflow.repeated", "overflow.failed"] as const),
  "overflow.skipped",
] as const satisfies readonly Event["event"][];

type Outcome = Pick<OutcomeRow, "kind" | "reason"> &
  Partial<Pick<OutcomeRow, "bytes_before" | "bytes_after" | "largest" | "largest_limit">>;

/** How one event ended; undefined for events whose outcomes are not counted. */
export function findOutcome(event: Event): Outcome | undefined {
  switch (event.event) {
    case "ingest.classified": {
      const { content_kind: kind, decided_by: reason, size_bytes } = event;
      return { kind, reason, bytes_before: size_bytes, largest: size_bytes };
    }
    case "ingest.failed":
      return { kind: "", reason: event.code };
    case "tool.called":
      if (event.error !== null) return undefined;
      return { kind: event.bound, reason: "", largest: event.text_chars, largest_limit: event.limit_chars };
    case "gateway.bounded": {
      const [kind, reason] = [event.server, event.tool].map((name) => clip(name, MAX_NAME_CHARS));
      return { kind: kind ?? "", reason: reason ?? "", largest: event.total_chars, largest_limit: event.limit_chars };
    }
    case "overflow.classified":
      return { kind: event.class, reason: event.dialect };
    case "overflow.recovered":
    case "overflow.failed": {
      const { bytes_before, bytes_after } = event;
      return { kind: event.class, reason: "reason" in event ? event.reason : "", bytes_before, bytes_after };
    }
    case "overflow.repeated":
      return { kind: "", reason: "", bytes_before: event.bytes_before, bytes_after: event.bytes_after };
    case "overflow.skipped":
      return { kind: event.class, reason: event.reason };
    default:
      return undefined;
  }
}

const sizes = ({ returned_chars, limit_chars }: { returned_chars: number; limit_chars: number }): Usage => ({
  chars_out: returned_chars,
  chars_allowed: limit_chars,
});

/** Longer names of tools of wrapped servers are clipped. */
const MAX_NAME_CHARS = 100;

export type UsageCollector = {
  add(event: Event, origin: CallOrigin | undefined, at: number): void;
  /** Everything collected since it was last taken. */
  read(): UsageBatch;
  take(): UsageBatch;
};

/** Adds up usage until it is written. Its memory grows with clients and tools, not with events. */
export function createUsageCollector(): UsageCollector {
  let rows = new Map<string, UsageRow>();
  let outcomes = new Map<string, OutcomeRow>();

  function addRow({ day, client, tool, usage }: UsageRow): void {
    const key = JSON.stringify([day, client, tool]);
    rows.set(key, { day, client, tool, usage: addUsage(rows.get(key)?.usage ?? {}, usage) });
  }

  function addOutcome(row: Omit<OutcomeRow, keyof typeof noSizes> & Partial<OutcomeRow>): void {
    const { day, client, tool, event, kind, reason } = row;
    const key = JSON.stringify([day, client, tool, event, kind, reason]);
    outcomes.set(key, joinOutcomes(outcomes.get(key), { ...noSizes, ...row }));
  }

  const read = (): UsageBatch => ({ rows: [...rows.values()], outcomes: [...outcomes.values()] });

  return {
    add(event, origin, at) {
      const place = { day: dayOf(at), ...whoOf(event, origin) };
      const outcome = findOutcome(event);
      if (outcome !== undefined) addOutcome({ ...place, event: event.event, ...outcome });
      const usage = countUsage(event, origin);
      if (Object.values(usage).some((count) => count !== 0)) addRow({ ...place, usage });
    },
    read,
    take() {
      const taken = read();
      [rows, outcomes] = [new Map(), new Map()];
      return taken;
    },
  };
}

const noSizes = { count: 1, bytes_before: 0, bytes_after: 0, largest: 0, largest_limit: 0 };

function joinOutcomes(one: OutcomeRow | undefined, other: OutcomeRow): OutcomeRow {
  if (one === undefined) return other;
  const { largest, largest_limit } = other.largest > one.largest ? other : one;
  return {
    ...{ ...one, largest, largest_limit, count: one.count + other.count },
    bytes_before: one.bytes_before + other.bytes_before,
    bytes_after: one.bytes_after + other.bytes_after,
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
