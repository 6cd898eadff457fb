/** How large a request is, and how small it has to become. */

import type { Edit } from "../../system/json-edits.ts";
import type { Verdict } from "../classify/verdict.ts";
import type { Dialect, OutputLimit, RequestBody, WrittenRole } from "../dialects/dialect.ts";
import { addCounts, countPartTokens, countRestTokens } from "../estimate-tokens.ts";
import type { Aim } from "../limits/seen-sizes.ts";
import type { SentPart } from "./sent-part.ts";
import type { ToolRules } from "./tool-rules.ts";

/** The request's size, in the unit of the limit. */
export type Sizes = {
  readonly unit: "tokens" | "bytes";
  /** The size now, reported or estimated. */
  readonly before: number;
  /** The size to reach by replacing older parts, with headroom for the next turns. */
  readonly target: number;
  /** The size that must be reached. The newest exchange is cut only to this. */
  readonly enough: number;
  /** Set where the size to reach is a guess. Then nothing is given back: the limit may be lower. */
  readonly isGuess?: true;
  /** Real tokens per counted token, for each tokenizer that the estimate considers; one number for bytes. */
  readonly scales: readonly number[];
};

export type PlanOptions = {
  readonly model?: string;
  /** Bytes of the request as it was sent. */
  readonly wireBytes: number;
  /** The share of the limit to leave free where older parts are removed, so that the next turns fit too. */
  readonly headroom?: number;
  /** What to aim at where the refusal names no limit. */
  readonly aimFor?: (unit: Sizes["unit"], before: number) => Aim;
  /** Real tokens per estimated token, where the refusal does not show it. */
  readonly scale?: number;
  /** What may be replaced in earlier turns of what the model wrote into calls, and the user into messages. */
  readonly written?: readonly WrittenRole[];
  /** The user's rules for the results of single tools. */
  readonly rules?: ToolRules;
  /** The texts of the stubs that already replace parts, by path. */
  readonly stubs?: ReadonlyMap<string, string>;
  /** The paths of parts that could not be kept and must stay. */
  readonly unkept?: ReadonlySet<string>;
  /** How much an earlier plan fell short. */
  readonly shortBy?: number;
};

/** Stubs hold hashes and paths, which take more tokens than prose. */
export const STUB_CHARS_PER_TOKEN = 3;
/** The headroom is at most this share of what the request may hold, however large the output limit is. */
const MAX_HEADROOM_SHARE = 0.6;
/** The share of an unknown limit to aim at, for plans without any experience. */
const UNKNOWN_LIMIT_SHARE = 0.45;

type MeasuredRequest = Sizes & { readonly clamp: readonly Edit[] };

/** The sizes, and the edits of the output limit that the target assumes. */
export function measureRequest(
  request: RequestBody,
  dialect: Dialect,
  parts: readonly SentPart[],
  verdict: Verdict,
  options: PlanOptions,
): MeasuredRequest {
  if (verdict.class !== "context_tokens") return measureBytes(verdict, options);
  const { limit, output = 0 } = verdict;
  const counts = parts.reduce(
    (sum, { sentContent, model }) => addCounts(sum, countPartTokens(sentContent, model)),
    countRestTokens(request, parts),
  );
  const [estimate = 1] = counts;
  const reported = verdict.input ?? (verdict.actual === undefined ? undefined : verdict.actual - output);
  // A refused request is over its limit, whatever our estimate says.
  const minBefore = limit === undefined ? 0 : Math.ceil(limit * 1.05);
  const before = reported ?? Math.max(Math.ceil(estimate * (options.scale ?? 1)), minBefore);
  const scales = counts.map((tokens) => before / Math.max(1, tokens));
  if (limit === undefined)
    return { unit: "tokens", before, ...aimWithout("tokens", before, options), scales, clamp: [] };
  const { reserved, clamp } = reserveOutput(dialect, dialect.findOutputLimit(request), limit, output);
  const enough = Math.floor(limit - reserved - Math.max(64, limit * 0.01));
  return { unit: "tokens", before, target: withHeadroom(enough, limit, options), enough, scales, clamp };
}

/** The shares of the window to leave for the output where it asks for more. Some requests cannot ask for very little. */
const outputShares = [1 / 4, 1 / 2];

/** The tokens to reserve for the output, and the edits that lower the output limit to them. */
function reserveOutput(
  dialect: Dialect,
  outputLimit: OutputLimit | undefined,
  limit: number,
  reported: number,
): { readonly reserved: number; readonly clamp: readonly Edit[] } {
  const requested = dialect.sharesWindow ? Math.max(reported, outputLimit?.tokens ?? 0) : 0;
  for (const share of outputShares) {
    const tokens = Math.floor(limit * share);
    if (requested <= tokens) return { reserved: requested, clamp: [] };
    const clamp = outputLimit?.lowerTo(tokens);
    if (outputLimit === undefined || clamp !== undefined) return { reserved: tokens, clamp: clamp ?? [] };
  }
  return { reserved: Math.min(requested, Math.floor(limit / 2)), clamp: [] };
}

function measureBytes(verdict: Verdict, options: PlanOptions): MeasuredRequest {
  const { wireBytes } = options;
  const before = verdict.unit === "chars" ? (verdict.actual ?? wireBytes) : wireBytes;
  const { limit } = verdict;
  const fixed = { unit: "bytes", before, scales: [1], clamp: [] } as const;
  if (limit === undefined) return { ...fixed, ...aimWithout("bytes", before, options) };
  const enough = Math.floor(maxBytes(limit, verdict.actual, before));
  return { ...fixed, enough, target: withHeadroom(enough, limit, options) };
}

/** Where the provider counts bytes differently than we do, its own ratio of limit and size gives the target. */
function maxBytes(limit: number, actual: number | undefined, before: number): number {
  const countsDifferently = before <= limit && actual !== undefined && actual > limit;
  return countsDifferently ? ((before * limit) / actual) * 0.995 : limit - Math.max(128, limit * 0.005);
}

/** A size that was accepted is like a limit. A guess gets no headroom: it is far from the limit already. */
function aimWithout(
  unit: Sizes["unit"],
  before: number,
  options: PlanOptions,
): Pick<Sizes, "target" | "enough" | "isGuess"> {
  const guess = { size: Math.floor(before * UNKNOWN_LIMIT_SHARE), isProven: false };
  const { size, isProven } = options.aimFor?.(unit, before) ?? guess;
  return isProven
    ? { enough: size, target: withHeadroom(size, size, options) }
    : { enough: size, target: size, isGuess: true };
}

function withHeadroom(enough: number, limit: number, { headroom = 0 }: PlanOptions): number {
  return Math.floor(enough - Math.min(limit * headroom, enough * MAX_HEADROOM_SHARE));
}
