/** What the server answers to each view. Both sides are checked against these types; nothing here runs. */
import type { JobRecord } from "../../../contract/indexing-job.ts";
import type { EventName, LoggedEvent } from "../../../telemetry/events.ts";

/** The counts that views show. */
export type UsageCounts = {
  readonly [Name in
    | ("replies" | "errors" | "answers" | "truncated" | "bytes_in" | "chars_out" | "chars_allowed")
    | ("chars_kept_out" | "read_chars" | "cache_hits" | "tokens_saved" | "duration_ms")]: number;
};

export type UsageGroup = { readonly name: string; readonly usage: UsageCounts };

/** How often something ended in one way. `name` is the day, where sums are by day. */
export type OutcomeSum = {
  readonly name: string;
  readonly event: EventName;
  readonly kind: string;
  readonly reason: string;
  readonly count: number;
  readonly bytes_before: number;
  readonly bytes_after: number;
};

/** The largest reply of a client. */
export type LargestReply = {
  readonly tool: string;
  /** What bound it. */
  readonly kind: string;
  readonly largest: number;
  readonly largest_limit: number;
};

export type ClientUsage = UsageGroup & { readonly largest: LargestReply | null };

type Logged<E extends EventName> = Extract<LoggedEvent, { readonly event: E }>;

export type DecisionEvent = Logged<"ingest.classified" | "ingest.failed">;
export type CompletedEvent = Logged<"ingest.completed">;
export type OverflowEvent = Logged<
  "overflow.classified" | "overflow.recovered" | "overflow.repeated" | "overflow.failed" | "overflow.skipped"
>;

export type WrappedTool = {
  readonly server: string;
  readonly tool: string;
  readonly count: number;
  readonly maxChars: number;
  readonly limitChars: number;
};

/** An artifact, or what is wrong with its record. */
export type ListedArtifact =
  | { readonly ref: string; readonly problem: string }
  | {
      readonly ref: string;
      readonly problem?: undefined;
      readonly name: string;
      readonly source: string;
      readonly content_kind: string;
      readonly media_type: string;
      readonly size_bytes: number;
      readonly last_used_at: string;
      readonly expires_at: string;
    };

export type Me = {
  readonly owner: string;
  readonly isAdmin: boolean;
  readonly version: string;
  readonly artifacts: number;
  readonly bytes: number;
  readonly mcpUrl: string;
};

/** The answer to each name of data. */
export type ViewData = {
  readonly me: Me;
  readonly usage: { readonly groups: readonly UsageGroup[] };
  readonly clients: { readonly clients: readonly ClientUsage[] };
  readonly decisions: {
    readonly sums: readonly OutcomeSum[];
    readonly events: readonly (DecisionEvent | CompletedEvent)[];
    /** Names of artifacts by ref. */
    readonly names: Readonly<Record<string, string>>;
  };
  readonly overflows: { readonly days: readonly OutcomeSum[]; readonly events: readonly OverflowEvent[] };
  readonly jobs: { readonly jobs: readonly JobRecord[] };
  readonly servers: { readonly servers: readonly WrappedTool[] };
  readonly artifacts: {
    readonly artifacts: readonly ListedArtifact[];
    readonly searched: number;
    readonly next: string | null;
  };
  readonly preview: { readonly content: string; readonly total_chars: number | null; readonly truncated: boolean };
};

/** What the server answers where it cannot. */
export type Refusal = { readonly error: string; readonly hint: string };

/** What a view gets. */
export type ViewContext = {
  readonly load: <Name extends keyof ViewData>(name: Name, query?: URLSearchParams) => Promise<ViewData[Name]>;
  readonly preview: (ref: string) => Promise<ViewData["preview"] | Refusal>;
  /** Days and owners as they are chosen. */
  readonly range: URLSearchParams;
  readonly me: Me;
};
