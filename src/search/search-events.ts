/** Reports a search: events and metrics, which hold no text of the query, and lines in the process's log. */
import type { CodeResult, SearchFacts, SearchReply } from "../contract/search-fields.ts";
import type { FittedResults, Overrun } from "../fit/fit-results.ts";
import { TRUNCATION_WARNING_THRESHOLD } from "../fit/limits.ts";
import { cutBetweenCodePoints } from "../fit/measure.ts";
import type { Session } from "../session/session.ts";
import { LOGGED_QUERY_CHARS } from "../system/clip-lengths.ts";
import { clip } from "../system/safe-names.ts";

/** Reports the reply that was sent. */
export function reportSearch(
  { reply, overrun }: FittedResults<CodeResult, SearchFacts>,
  query: string,
  durationMs: number,
  session: Session,
): void {
  emitSizes(reply, durationMs, session);
  const line = logLine(reply, query);
  if (line !== null) session.log(line);
  if (overrun !== null) session.log(overrunLine(overrun));
}

function emitSizes(reply: SearchReply, durationMs: number, { emit }: Session): void {
  const { reason, returned_count, original_count, actual_chars, limit_chars } = reply.truncation_info;
  const sizes = { returned_count, original_count, actual_chars, limit_chars };
  emit({
    event: "search.completed",
    ...sizes,
    truncated: reason !== null,
    duration_ms: Math.round(durationMs),
    indexing: reply.indexing !== undefined,
  });
  if (reason !== null) emit({ event: "search.truncated", ...sizes, reason });
}

/** A line for a reply that is truncated or near its limit; null for others. */
function logLine({ truncation_info: info }: SearchReply, query: string): string | null {
  const { reason, returned_count, original_count, estimated_chars, actual_chars, limit_chars } = info;
  const sizes = `actual_chars=${actual_chars} limit_chars=${limit_chars}`;
  const queryField = `query=${JSON.stringify(clip(cutBetweenCodePoints(query, LOGGED_QUERY_CHARS), LOGGED_QUERY_CHARS))}`;
  if (reason !== null) {
    const counts = `returned_count=${returned_count} original_count=${original_count}`;
    return `warning: search results truncated: ${queryField} reason=${reason} ${counts} estimated_chars=${estimated_chars} ${sizes}`;
  }
  const percent = findUtilizationPercent(info);
  return percent === null ? null : `search reply near its limit: ${queryField} utilization_pct=${percent} ${sizes}`;
}

/** Percent of the limit that a complete reply fills, if it is above the warning threshold; else null. */
export function findUtilizationPercent({
  reason,
  actual_chars,
  limit_chars,
}: SearchReply["truncation_info"]): number | null {
  const share = actual_chars / limit_chars;
  return reason === null && share > TRUNCATION_WARNING_THRESHOLD ? Number((share * 100).toFixed(1)) : null;
}

function overrunLine({ unit, estimated_size, actual_size, limit }: Overrun): string {
  return `error: a search reply was larger than estimated: unit=${unit} estimated_size=${estimated_size} actual_size=${actual_size} limit=${limit}`;
}
