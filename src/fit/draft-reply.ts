/** A search reply exactly as it is sent, which contains its own serialized length. */
import { estimateResponseSize, type SearchResult } from "./estimate-results.ts";

export type TruncationReason = "character_limit" | "token_estimate" | "single_result_too_large";

export type TruncationInfo = {
  readonly reason: TruncationReason | null;
  readonly original_count: number;
  readonly returned_count: number;
  readonly estimated_chars: number;
  /** Length of the serialized reply that contains this number. */
  readonly actual_chars: number;
  readonly limit_chars: number;
  readonly estimated_tokens: number;
  readonly limit_tokens: number;
};

/** What a result can lose. */
export type ResultPart = "context" | "spans" | "content";

/** A returned result. One that fits no reply has lost the parts in `cut`; `artifact_ref` names the complete one. */
export type ReturnedResult<R> = R & { readonly artifact_ref?: string | null; readonly cut?: readonly ResultPart[] };

/** The keys of the reply that fitting decides. */
export type FittedPart<R> = {
  readonly results: readonly ReturnedResult<R>[];
  readonly returned_count: number;
  readonly truncated: boolean;
  readonly truncation_info: TruncationInfo;
};

/** What does not depend on how many results the reply carries. */
type ReplyFrame<R, E> = {
  readonly originalCount: number;
  readonly limitChars: number;
  readonly limitTokens: number;
  /** The reply's other keys, made from the returned results: a cursor depends on them. */
  readonly envelope: (returned: readonly R[]) => E;
  /** Counted or estimated tokens of a reply with these results. */
  readonly tokensOf: (results: readonly R[]) => number;
  /** A result as JSON; cached, because one result is part of many drafts. */
  readonly serialize: (result: ReturnedResult<R>) => string;
};

/** A reply and its serialization. */
export type Draft<R, E> = { readonly reply: FittedPart<R> & E; readonly json: string };

/** The reply with these results, measured. */
export function draftReply<R extends SearchResult, E extends object>(
  frame: ReplyFrame<R, E>,
  results: readonly ReturnedResult<R>[],
  reason: TruncationReason | null,
): Draft<R, E> {
  const info = makeInfo(frame, results, reason);
  const part = { results, returned_count: results.length, truncated: reason !== null };
  const envelope = frame.envelope(results);
  const resultsJson = results.map(frame.serialize).join(",");
  return settleLength(info.estimated_chars, resultsJson, (actual_chars) => {
    return { ...part, truncation_info: { ...info, actual_chars }, ...envelope };
  });
}

function makeInfo<R extends SearchResult, E>(
  frame: ReplyFrame<R, E>,
  results: readonly R[],
  reason: TruncationReason | null,
): Omit<TruncationInfo, "actual_chars"> {
  const estimatedChars = estimateResponseSize(results);
  return {
    reason,
    original_count: frame.originalCount,
    returned_count: results.length,
    estimated_chars: estimatedChars,
    limit_chars: frame.limitChars,
    estimated_tokens: frame.tokensOf(results),
    limit_tokens: frame.limitTokens,
  };
}

/**
 * Writes the length, measures, and writes again until both agree. This terminates: a longer number never makes the text
 * shorter, so the guesses only rise or only fall, and the text without the number bounds them.
 */
function settleLength<T extends object>(
  guess: number,
  resultsJson: string,
  write: (length: number) => T,
): { reply: T; json: string } {
  const reply = write(guess);
  const otherKeys = JSON.stringify({ ...reply, results: undefined }).slice(1);
  const json = `{"results":[${resultsJson}],${otherKeys}`;
  return json.length === guess ? { reply, json } : settleLength(json.length, resultsJson, write);
}
