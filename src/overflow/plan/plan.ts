/**
 * Plans what to replace in a refused request, as a pure function of the request and the verdict with its figures. In
 * order: lower the output limit, then replace the part that the error names, older attachments, older results, the
 * newest results by excerpts, and last what the user attached in the current turn. What turns out to be unneeded stays.
 */

import type { Edit } from "../../system/json-edits.ts";
import type { Verdict } from "../classify/verdict.ts";
import type { Dialect, OutputLimit, RequestBody } from "../dialects/dialect.ts";
import { countRestTokens, estimatePartTokens } from "../estimate-tokens.ts";
import { findOffending, isAboutOnePart } from "./one-part.ts";
import { rankParts } from "./rank-parts.ts";
import { chooseReplacements } from "./selection.ts";
import { isShortest, previewChars, type Replacement, type SentPart, STUB_CHARS } from "./sent-part.ts";
import { measureRequest, type PlanOptions, type Sizes, STUB_CHARS_PER_TOKEN } from "./sizes.ts";
import { noToolRules } from "./tool-rules.ts";

export type Plan = {
  /** Edits that lower the output limit. They remove nothing. */
  readonly clamp: readonly Edit[];
  /** In the order in which they are tried. */
  readonly replacements: readonly Replacement[];
  readonly sizes: Sizes;
  /** Whether the plan makes the request small enough. */
  readonly fits: boolean;
  /** How much it falls short where it does not. */
  readonly shortBy: number;
};

/** Plans for a request that was refused with this verdict, or that is expected to be. */
export function planShedding(request: RequestBody, dialect: Dialect, verdict: Verdict, options: PlanOptions): Plan {
  const { wireBytes, stubs, unkept, shortBy = 0, rules = noToolRules, written = [], model = "" } = options;
  const writtenParts = written.length === 0 ? [] : (dialect.findWrittenParts?.(request) ?? []);
  const found = [...dialect.findParts(request), ...writtenParts.filter(({ role }) => written.includes(role))];
  const allParts = found.map((part, index): SentPart => {
    const stub = stubs?.get(part.path.join("."));
    return { ...part, index, model, sentContent: stub === undefined ? part.content : { text: stub } };
  });
  const parts = allParts.filter((part) => !unkept?.has(part.path.join(".")) && !isShortest(part));
  const bytes = { unit: "bytes", before: wireBytes, target: wireBytes, enough: wireBytes, scales: [1] } as const;
  const clamp = clampOutput(dialect.findOutputLimit(request), verdict);
  if (clamp) return { clamp, replacements: [], sizes: bytes, fits: true, shortBy: 0 };
  // The output limit alone is too high: removing input would not help.
  if (verdict.class === "output_limit") return { clamp: [], replacements: [], sizes: bytes, fits: false, shortBy: 0 };
  if (isAboutOnePart(verdict, parts)) {
    const replacements = findOffending(parts, verdict).map((part) => ({ part, shownChars: previewChars(part) }));
    return { clamp: [], replacements, sizes: bytes, fits: replacements.length > 0, shortBy: 0 };
  }
  const { clamp: outputEdits, ...sizes } = measureRequest(request, dialect, allParts, verdict, options);
  const goal = { ...sizes, target: sizes.target - shortBy, enough: sizes.enough - shortBy };
  const { replacements, after } = chooseReplacements(rankParts(parts, verdict, rules), goal);
  const isOver = sizes.unit === "tokens" && after > goal.enough;
  const remaining = isOver ? Math.min(after, estimateRemaining(request, allParts, replacements)) : after;
  const missing = Math.max(0, remaining - goal.enough);
  return {
    clamp: replacements.length > 0 ? outputEdits : [],
    replacements,
    sizes: goal,
    fits: missing === 0,
    shortBy: missing,
  };
}

/** Lowers the output limit where the input alone fits and enough output remains to be useful. */
function clampOutput(outputLimit: OutputLimit | undefined, verdict: Verdict): readonly Edit[] | undefined {
  const { limit, input, output } = verdict;
  if (outputLimit === undefined || limit === undefined) return undefined;
  if (verdict.class === "output_limit") return limit < outputLimit.tokens ? outputLimit.lowerTo(limit) : undefined;
  if (verdict.class !== "context_tokens" || input === undefined || output === undefined) return undefined;
  const available = limit - input - clampMargin(limit);
  const isUseful = available >= Math.max(MIN_OUTPUT_TOKENS, outputLimit.tokens * 0.05);
  return input < limit && available < outputLimit.tokens && isUseful ? outputLimit.lowerTo(available) : undefined;
}

/** A lower output limit than this is not worth a retry. */
const MIN_OUTPUT_TOKENS = 256;

const clampMargin = (limit: number): number => Math.max(32, Math.ceil(limit * 0.005));

/** The tokens that remain, estimated without the scale: where the scale is off, the removed parts are likely the reason. */
function estimateRemaining(
  request: RequestBody,
  parts: readonly SentPart[],
  replacements: readonly Replacement[],
): number {
  const stubSizes = new Map(replacements.map(({ part, shownChars }) => [part.path.join("."), STUB_CHARS + shownChars]));
  const partSizes = parts.map(({ path, sentContent, model }) => {
    const chars = stubSizes.get(path.join("."));
    return chars === undefined ? estimatePartTokens(sentContent, model) : chars / STUB_CHARS_PER_TOKEN;
  });
  return partSizes.reduce((total, size) => total + size, countRestTokens(request, parts)[0] ?? 0);
}
