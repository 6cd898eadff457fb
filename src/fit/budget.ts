/** One budget per reply: the smallest of all limits that apply, and the name of that limit. */
import type { Settings } from "../config/settings.ts";
import { MAX_GET_CONTENT_CHARS, MIN_BUDGET_CHARS, OVERHEAD_CHARS } from "./limits.ts";
import { countBytes, countLines, estimateTokens, type Unit } from "./measure.ts";

/** Which limit set the number of characters. `smallest`: a client or a turn with less room still gets 1,000. */
export type Bound = "request" | "default" | "ceiling" | "client" | "turn" | "smallest";

/** Counts the tokens of a text for one model. */
export type Tokenizer = { readonly model: string; count(text: string): number };

/** A number of tokens and how they are counted: by a model's tokenizer, or estimated where no model is named. */
export type TokenLimit = { readonly max: number; readonly model?: string; count(text: string): number };

/** How much one reply may carry: always characters; bytes, lines and tokens where the client counts them. */
export type Budget = {
  readonly chars: number;
  readonly bytes?: number;
  readonly lines?: number;
  readonly tokens?: TokenLimit;
  readonly bound: Bound;
};

/** A client's limits in its own units; without a tokenizer for its model, tokens are estimated. */
export type ClientLimit = {
  readonly chars?: number;
  readonly bytes?: number;
  readonly lines?: number;
  readonly tokens?: number | TokenLimit;
};

export type BudgetOptions = {
  /** What the caller asked for, from one character on; zero or less counts as one, and NaN asks for nothing. */
  readonly requested?: number | undefined;
  readonly default: number;
  readonly ceiling?: number;
  readonly client?: ClientLimit | undefined;
  /** Characters left for the rest of this turn. */
  readonly turn?: number | undefined;
};

/** The smallest of what applies, in whole characters; of equal limits the one the caller can change is named. */
export function makeBudget(options: BudgetOptions): Budget {
  const { requested, ceiling = MAX_GET_CONTENT_CHARS } = options;
  const isRequested = requested !== undefined && !Number.isNaN(requested);
  const limits: CharLimit[] = [
    isRequested ? { chars: Math.max(1, requested), bound: "request" } : atLeastSmallest(options.default, "default"),
    { chars: ceiling, bound: "ceiling" },
  ];
  return takeSmallest([...limits, ...surfaceLimits(options)], options.client);
}

export type LowerOptions = Pick<BudgetOptions, "client" | "turn"> & {
  /** Characters of a whole reply to a call that asked for no number. */
  readonly unasked?: number | undefined;
};

/** The same budget for a client, or as one of several calls of a turn. A budget is made once and only lowered after. */
export function lowerBudget(budget: Budget, options: LowerOptions): Budget {
  const limits = [budget, ...unaskedLimit(budget, options), ...surfaceLimits(options)];
  return { ...budget, ...takeSmallest(limits, options.client) };
}

/** It stays a default: the caller can ask for more. */
function unaskedLimit({ bound }: Budget, { unasked }: LowerOptions): CharLimit[] {
  return unasked === undefined || bound !== "default" ? [] : [{ chars: unasked - OVERHEAD_CHARS, bound }];
}

type CharLimit = { readonly chars: number; readonly bound: Bound };

function takeSmallest(limits: readonly CharLimit[], client: ClientLimit | undefined): Budget {
  const { chars, bound } = limits.reduce((minimum, next) => (next.chars < minimum.chars ? next : minimum));
  return { ...clientUnits(client), chars: Math.floor(chars), bound };
}

function surfaceLimits({ client, turn }: Pick<BudgetOptions, "client" | "turn">): CharLimit[] {
  return [atLeastSmallest(client?.chars ?? Infinity, "client"), atLeastSmallest(turn ?? Infinity, "turn")];
}

function atLeastSmallest(chars: number, bound: Bound): CharLimit {
  return chars < MIN_BUDGET_CHARS ? { chars: MIN_BUDGET_CHARS, bound: "smallest" } : { chars, bound };
}

/** What one reply about a source may carry, by what it shows. Made once per reply and passed down. */
export type SourceBudget = {
  /** Text and web pages. */
  readonly inline: Budget;
  /** Documents: an excerpt, unless the caller asked for a number. */
  readonly excerpt: Budget;
  /** A chosen range, or the text from its start. */
  readonly read: Budget;
};

/** The budgets of a reply about a source: what the caller asked for, else what the settings say. */
export function makeSourceBudget(
  settings: Settings,
  options: Pick<BudgetOptions, "requested" | "turn"> = {},
): SourceBudget {
  return {
    inline: makeBudget({ ...options, default: settings["fit.inline_chars"] }),
    excerpt: makeBudget({ ...options, default: settings["fit.excerpt_chars"] }),
    read: makeBudget({ ...options, default: settings["fit.read_chars"] }),
  };
}

/** A limit that a text exceeds, with its size in that unit. */
export type Excess = { readonly unit: Unit; readonly size: number; readonly max: number };

/** The first unit, characters first, in which the text exceeds the budget; null when it fits. */
export function findExcess(text: string, budget: Budget): Excess | null {
  for (const { unit, max, measure } of listLimits(budget)) {
    const size = measure(text);
    if (size > max) return { unit, size, max };
  }
  return null;
}

/** One unit of a budget and how it is measured. */
type Limit = { readonly unit: Unit; readonly max: number; measure(text: string): number };

/** Every limit of a budget, characters first: they are cheap to measure and bound the work for the others. */
export function listLimits({ chars, bytes, lines, tokens }: Budget): readonly Limit[] {
  const limits: Limit[] = [{ unit: "chars", max: chars, measure: (text) => text.length }];
  if (bytes !== undefined) limits.push({ unit: "bytes", max: bytes, measure: countBytes });
  if (lines !== undefined) limits.push({ unit: "lines", max: lines, measure: countLines });
  if (tokens !== undefined) limits.push({ unit: "tokens", max: tokens.max, measure: (text) => tokens.count(text) });
  return limits;
}

/** The limits that a client itself sets; none where it sets none. */
export function listClientLimits(client: ClientLimit | undefined): readonly Limit[] {
  return listLimits({ ...clientUnits(client), chars: client?.chars ?? Infinity, bound: "client" });
}

function clientUnits({ bytes, lines, tokens }: ClientLimit = {}): Pick<Budget, "bytes" | "lines" | "tokens"> {
  return {
    ...(bytes !== undefined && { bytes }),
    ...(lines !== undefined && { lines }),
    ...(tokens !== undefined && { tokens: typeof tokens === "number" ? estimateLimit(tokens) : tokens }),
  };
}

function estimateLimit(max: number): TokenLimit {
  return { max, count: (text) => estimateTokens(text.length) };
}
