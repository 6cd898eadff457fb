/** Fits search results: whole results, best first, in a reply whose exact serialized size is within its limits. */
import { type Budget, type Excess, findExcess } from "./budget.ts";
import { type Draft, draftReply, type FittedPart, type ReturnedResult, type TruncationReason } from "./draft-reply.ts";
import {
  EMPTY_RESPONSE_CHARS,
  estimateResponseSize,
  estimateResultSize,
  type SearchResult,
} from "./estimate-results.ts";
import { cutAround, cutEnd, cutStart } from "./excerpt.ts";
import { CHARACTER_LIMIT, EFFECTIVE_CHAR_LIMIT, TRUNCATION_MARGIN } from "./limits.ts";
import { estimateTokens, findLargestPassing, type Unit } from "./measure.ts";

export type FitOptions<R, E> = {
  /** The reply's other keys, made from the returned results: a cursor depends on them. They are never cut. */
  readonly envelope?: (returned: readonly R[]) => E;
  /** What the client and the turn allow; lowers both limits. Lines never bind: JSON is one line. */
  readonly budget?: Budget;
  /** Where `oversized` of an earlier call was kept; null when keeping it failed. */
  readonly artifactRef?: string | null;
  /** Where a content matters most, if it has to be cut. Default: its beginning. */
  readonly focusOf?: (result: R) => number;
};

export type FittedResults<R, E> = {
  /** What to send, exactly as measured. */
  readonly reply: FittedPart<R> & E;
  /** Share of `limit_chars` that the reply fills. */
  readonly utilization: number;
  /** Set when measuring had to drop results that the estimate admitted: an error to log. */
  readonly overrun: Overrun | null;
  /** The first result unchanged, when not even it fits alone: keep it, then call again with its `artifactRef`. */
  readonly oversized: R | null;
};

export type Overrun = {
  readonly unit: Unit;
  readonly estimated_size: number;
  readonly actual_size: number;
  readonly limit: number;
};

/** As many of the best results as fit: an estimate says how many to try, measuring the reply decides. */
export function truncateResultsBySize<R extends SearchResult, E extends object = object>(
  results: readonly R[],
  charLimit: number = EFFECTIVE_CHAR_LIMIT,
  hardLimit: number = CHARACTER_LIMIT,
  options: FitOptions<R, E> = {},
): FittedResults<R, E> {
  const ranked = results.toSorted((one, other) => other.similarity_score - one.similarity_score);
  const page = makePage(ranked, makeLimits(charLimit, hardLimit, options.budget), options);
  const { count, reason } = chooseCount(page);
  const [first] = ranked;
  if (count === 0 && first !== undefined) return fitOne(page, first);
  const draft = page.draft(ranked.slice(0, count), reason);
  const excess = findExcess(draft.json, page.limits.hard);
  if (excess === null || first === undefined) return finish(page, draft);
  return { ...dropTrailing(page, first, count, excess), overrun: toOverrun(draft, excess) };
}

/** Estimates are held to `effective`, the serialized reply to `hard`. */
type Limits = { readonly effective: Budget & Required<Pick<Budget, "tokens">>; readonly hard: Budget };

type Page<R, E> = {
  readonly ranked: readonly R[];
  readonly limits: Limits;
  readonly artifactRef: string | null;
  readonly focusOf: (result: R) => number;
  tokensOf(results: readonly R[]): number;
  draft(results: readonly ReturnedResult<R>[], reason: TruncationReason | null): Draft<R, E>;
};

const unlimited: Budget = { chars: Infinity, bound: "default" };

function makeLimits(charLimit: number, hardLimit: number, budget: Budget = unlimited): Limits {
  // A character takes at least one byte, so a limit in bytes is one in characters too.
  const budgetChars = Math.min(budget.chars, budget.bytes ?? Infinity);
  const hard = { ...budget, chars: Math.min(hardLimit, budgetChars) };
  const chars = Math.min(charLimit, hardLimit, Math.floor(budgetChars * TRUNCATION_MARGIN));
  const budgetTokens = Math.floor((budget.tokens?.max ?? Infinity) * TRUNCATION_MARGIN);
  const count = (text: string) => budget.tokens?.count(text) ?? estimateTokens(text.length);
  const tokens = { ...budget.tokens, max: Math.min(estimateTokens(chars), budgetTokens), count };
  return { hard, effective: { ...hard, chars, tokens } };
}

function makePage<R extends SearchResult, E extends object>(
  ranked: readonly R[],
  limits: Limits,
  { envelope = () => ({}) as E, artifactRef = null, focusOf = () => 0 }: FitOptions<R, E>,
): Page<R, E> {
  const { chars, tokens } = limits.effective;
  const serialize = cachingSerializer<ReturnedResult<R>>();
  const tokensOf = tokens.model === undefined ? estimateReplyTokens : countReplyTokens(serialize, tokens.count);
  const lengths = { originalCount: ranked.length, limitChars: chars, limitTokens: tokens.max };
  const frame = { ...lengths, envelope, tokensOf, serialize };
  return {
    ranked,
    limits,
    artifactRef,
    focusOf,
    tokensOf,
    draft: (results, reason) => draftReply(frame, results, reason),
  };
}

function estimateReplyTokens(results: readonly SearchResult[]): number {
  return estimateTokens(estimateResponseSize(results));
}

/** Counts every result once with the tokenizer and estimates what is around them. */
function countReplyTokens<R extends SearchResult>(
  serialize: (result: R) => string,
  count: (text: string) => number,
): (results: readonly R[]) => number {
  const countsByResult = new Map<R, number>();
  const tokensIn = (result: R): number => {
    const tokens = countsByResult.get(result) ?? count(serialize(result));
    countsByResult.set(result, tokens);
    return tokens;
  };
  return (results) => results.reduce((sum, result) => sum + tokensIn(result), estimateTokens(EMPTY_RESPONSE_CHARS));
}

function cachingSerializer<R>(): (result: R) => string {
  const jsonByResult = new Map<R, string>();
  return (result) => {
    const json = jsonByResult.get(result) ?? JSON.stringify(result);
    jsonByResult.set(result, json);
    return json;
  };
}

/** As many are admitted whatever the estimate says, if they fit when measured. */
const MIN_RESULTS = 3;

/** How many results to try, and why not all of them. */
function chooseCount<R extends SearchResult, E>(page: Page<R, E>): { count: number; reason: TruncationReason | null } {
  let estimatedChars = EMPTY_RESPONSE_CHARS;
  for (const [count, result] of page.ranked.entries()) {
    estimatedChars += estimateResultSize(result);
    const reason = reasonToStop(page, estimatedChars, count + 1);
    if (reason === null || (count < MIN_RESULTS && fitMeasured(page, count + 1, reason))) continue;
    return { count, reason };
  }
  return { count: page.ranked.length, reason: null };
}

function reasonToStop<R extends SearchResult, E>(
  { ranked, limits: { effective }, tokensOf }: Page<R, E>,
  estimatedChars: number,
  count: number,
): TruncationReason | null {
  if (estimatedChars > effective.chars) return "character_limit";
  const isCounted = effective.tokens.model !== undefined;
  const tokens = isCounted ? tokensOf(ranked.slice(0, count)) : estimateTokens(estimatedChars);
  return tokens > effective.tokens.max ? "token_estimate" : null;
}

function fitMeasured<R extends SearchResult, E>(page: Page<R, E>, count: number, reason: TruncationReason): boolean {
  const draft = page.draft(page.ranked.slice(0, count), count < page.ranked.length ? reason : null);
  return findExcess(draft.json, page.limits.effective) === null;
}

/** Drops results until the reply, measured, is within the hard limit. */
function dropTrailing<R extends SearchResult, E>(
  page: Page<R, E>,
  first: R,
  admitted: number,
  { unit }: Excess,
): FittedResults<R, E> {
  const reason = unit === "tokens" ? "token_estimate" : "character_limit";
  const draftOf = (count: number) => page.draft(page.ranked.slice(0, count), reason);
  const count = findLargestPassing(0, admitted - 1, (candidate) => fitsHard(page, draftOf(candidate)));
  return count === 0 ? fitOne(page, first) : finish(page, draftOf(count));
}

/** One result that is too large: whole if the reply can carry it, else with less context, else without spans, else cut. */
function fitOne<R extends SearchResult, E>(page: Page<R, E>, first: R): FittedResults<R, E> {
  const draftOf = (...results: ReturnedResult<R>[]) => page.draft(results, "single_result_too_large");
  const fullDraft = draftOf(first);
  if (fitsHard(page, fullDraft)) return finish(page, fullDraft);
  const kept = { ...first, artifact_ref: page.artifactRef };
  for (const result of [kept, withoutSpans(kept)]) {
    const contextOf = (chars: number) => draftOf(withContext(result, chars));
    const maxChars = Math.max(first.context_before.length, first.context_after.length);
    if (!fitsHard(page, contextOf(0))) continue;
    const chars = findLargestPassing(0, maxChars, (candidate) => fitsHard(page, contextOf(candidate)));
    return { ...finish(page, contextOf(chars)), oversized: first };
  }
  const bare = withContext(withoutSpans(kept), 0);
  const focus = page.focusOf(first);
  const excerptOf = (chars: number) => draftOf(withExcerpt(bare, focus, chars));
  const maxChars = Math.min(bare.content.length, page.limits.hard.chars);
  const chars = findLargestPassing(-1, maxChars, (candidate) => fitsHard(page, excerptOf(candidate)));
  // Below zero not even its path fits beside the envelope: then only the counts show that it exists.
  return { ...finish(page, chars < 0 ? draftOf() : excerptOf(chars)), oversized: first };
}

/** Less context on a side says nothing. */
const MIN_CONTEXT_CHARS = 16;

/** At most so many characters of context on each side, next to the content. */
function withContext<R extends SearchResult>(result: ReturnedResult<R>, chars: number): ReturnedResult<R> {
  const room = chars < MIN_CONTEXT_CHARS ? 0 : chars;
  const [before, after] = [cutStart(result.context_before, room), cutEnd(result.context_after, room)];
  if (before === result.context_before && after === result.context_after) return result;
  return { ...result, context_before: before, context_after: after, cut: ["context", ...(result.cut ?? [])] };
}

function withoutSpans<R extends SearchResult>(result: ReturnedResult<R>): ReturnedResult<R> {
  if (result.spans === undefined || result.spans.length === 0) return result;
  return { ...result, spans: [], cut: ["spans"] };
}

function withExcerpt<R extends SearchResult>(
  result: ReturnedResult<R>,
  focus: number,
  chars: number,
): ReturnedResult<R> {
  if (result.content.length <= chars) return result;
  return { ...result, content: cutAround(result.content, focus, chars).text, cut: [...(result.cut ?? []), "content"] };
}

function fitsHard<R, E>({ limits }: Page<R, E>, { json }: Draft<R, E>): boolean {
  return findExcess(json, limits.hard) === null;
}

function finish<R, E>({ limits }: Page<R, E>, { reply, json }: Draft<R, E>): FittedResults<R, E> {
  return { reply, utilization: json.length / limits.effective.chars, overrun: null, oversized: null };
}

function toOverrun<R, E>({ reply }: Draft<R, E>, { unit, size, max }: Excess): Overrun {
  const { estimated_chars, estimated_tokens } = reply.truncation_info;
  return {
    unit,
    estimated_size: unit === "tokens" ? estimated_tokens : estimated_chars,
    actual_size: size,
    limit: max,
  };
}
