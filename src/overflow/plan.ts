/**
 * Plans what to replace in a refused request, as a pure function of the request and the verdict with its figures. In
 * order: lower the output limit, then replace the part that the error names, older attachments, older results, the
 * newest results by excerpts, and last what the user attached in the current turn. It stops as soon as the request fits.
 */
import { countShownChars } from "../answer/stub-text.ts";
import type { Edit, Path } from "../system/json-edits.ts";
import type { Verdict } from "./classify/verdict.ts";
import type { Dialect, OutputLimit, Part, PartContent, RequestBody } from "./dialects/dialect.ts";
import { countPartChars, estimatePartTokens, estimateRestTokens } from "./estimate-tokens.ts";

/** A part to replace, and how many of its characters the stub shows. */
type Replacement = { readonly part: Part; readonly shownChars: number };

/** The request's size, in the unit of the limit. */
type Sizes = {
  readonly unit: "tokens" | "bytes";
  /** The size now, reported or estimated. */
  readonly before: number;
  /** The size to reach. */
  readonly target: number;
  /** A size that may suffice: more than the target where that is a guess. The newest exchange is cut only to this. */
  readonly enough: number;
};

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

/** The share of a request to reach where a refusal names no limit. */
const UNKNOWN_LIMIT_SHARE = 0.45;
/** The characters of a stub's own line, roughly. */
const STUB_CHARS = 420;
/** Stubs hold hashes and paths, which take more tokens than prose. */
const STUB_CHARS_PER_TOKEN = 3;
/** How much of an older part its stub shows. */
const PREVIEW_CHARS = 300;
/** How much larger than its stub a part must be to be worth replacing. */
const MIN_GAIN_CHARS = 100;

type PlanOptions = {
  /** Bytes of the request as it was sent. */
  readonly wireBytes: number;
  /** The stubs that already replace parts, by path. */
  readonly stubs?: ReadonlyMap<string, string>;
  /** The paths of parts that could not be kept and must stay. */
  readonly unkept?: ReadonlySet<string>;
  /** The largest estimate that the same target has accepted, where it names no numbers. */
  readonly acceptedTokens?: number;
  /** How much an earlier plan fell short. */
  readonly shortBy?: number;
};

/** A part with its index, and what is sent at its path now: its own content, or the stub from an earlier request. */
type SentPart = Part & { readonly sentContent: PartContent; readonly index: number };

/** Plans for a request that was refused with this verdict, or that is expected to be. */
export function planShedding(request: RequestBody, dialect: Dialect, verdict: Verdict, options: PlanOptions): Plan {
  const { wireBytes, stubs, unkept, shortBy = 0 } = options;
  const allParts = dialect.findParts(request).map((part, index): SentPart => {
    const stub = stubs?.get(part.path.join("."));
    return { ...part, index, sentContent: stub === undefined ? part.content : { text: stub } };
  });
  const parts = allParts.filter((part) => !unkept?.has(part.path.join(".")) && !isShortest(part));
  const bytes = { unit: "bytes", before: wireBytes, target: wireBytes, enough: wireBytes } as const;
  const clamp = clampOutput(dialect.findOutputLimit(request), verdict);
  if (clamp) return { clamp, replacements: [], sizes: bytes, fits: true, shortBy: 0 };
  // The output limit alone is too high: removing input would not help.
  if (verdict.class === "output_limit") return { clamp: [], replacements: [], sizes: bytes, fits: false, shortBy: 0 };
  if (isAboutOnePart(verdict, parts)) {
    const replacements = findOffending(parts, verdict).map(replaceWhole);
    return { clamp: [], replacements, sizes: bytes, fits: replacements.length > 0, shortBy: 0 };
  }
  const { scale, clamp: outputEdits, ...sizes } = measureRequest(request, dialect, allParts, verdict, options);
  const goal = { ...sizes, target: sizes.target - shortBy, enough: sizes.enough - shortBy };
  const { replacements, after } = chooseReplacements(rankParts(parts, verdict), goal, createMeasure(sizes.unit, scale));
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

/** Whether a stub cannot become shorter. One that the client itself sends keeps its preview. */
function isShortest(part: SentPart): boolean {
  return (countStubChars(part) ?? Infinity) <= (part.sentContent === part.content ? PREVIEW_CHARS : 0);
}

/** How many characters the stub at a part's path shows, or undefined where there is no stub. */
function countStubChars({ sentContent }: SentPart): number | undefined {
  return "text" in sentContent ? countShownChars(sentContent.text) : undefined;
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

/** Whether the limit is on one string or one attachment and not on the whole request. */
function isAboutOnePart(verdict: Verdict, parts: readonly SentPart[]): boolean {
  if (verdict.class === "attachment_limit") return true;
  if (verdict.class !== "request_bytes" || verdict.unit !== "chars") return false;
  // Without a path the characters are those of the whole input, unless one part alone has that many.
  const maxPartChars = Math.max(0, ...parts.map(({ sentContent }) => countPartChars(sentContent)));
  return verdict.path !== undefined || maxPartChars > (verdict.actual ?? verdict.limit ?? Infinity) * 0.95;
}

/** The parts that break a limit on one part: the one at the path, those over the limit, or those beyond the count. */
function findOffending(parts: readonly SentPart[], verdict: Verdict): readonly SentPart[] {
  const { path, limit, unit } = verdict;
  const eligible = parts.filter(({ role }) => verdict.class !== "attachment_limit" || role === "attachment");
  if (path !== undefined) {
    const matches = eligible.filter((part) => isAtPath(part.path, path));
    if (matches.length > 0 || unit === "chars") return matches;
  }
  if (unit === "chars")
    return eligible.filter(({ sentContent }) => limit !== undefined && countPartChars(sentContent) > limit);
  if (unit === "bytes")
    return eligible.filter(({ sentContent }) => limit !== undefined && (countPartChars(sentContent) * 3) / 4 > limit);
  if (unit === "pages") return eligible.filter(({ sentContent }) => !isPicture(sentContent));
  return unit === "pixels" || limit === undefined ? [] : findSurplus(eligible, limit);
}

/** `too many images, max allowed is 16`: the oldest parts beyond the count, pictures first if they alone exceed it. */
function findSurplus(parts: readonly SentPart[], maxCount: number): readonly SentPart[] {
  const pictures = parts.filter(({ sentContent }) => isPicture(sentContent));
  const candidates = pictures.length > maxCount ? pictures : parts;
  return candidates.slice(0, Math.max(0, candidates.length - maxCount));
}

const isPicture = (content: PartContent): boolean => "base64" in content && content.mediaType.startsWith("image/");

function replaceWhole(part: SentPart): Replacement {
  return { part, shownChars: previewChars(part) };
}

/** The tokens that remain, estimated without the scale: where the scale is off, the removed parts are likely the reason. */
function estimateRemaining(
  request: RequestBody,
  parts: readonly SentPart[],
  replacements: readonly Replacement[],
): number {
  const stubSizes = new Map(replacements.map(({ part, shownChars }) => [part.path.join("."), STUB_CHARS + shownChars]));
  const partSizes = parts.map(({ path, sentContent }) => {
    const chars = stubSizes.get(path.join("."));
    return chars === undefined ? estimatePartTokens(sentContent) : chars / STUB_CHARS_PER_TOKEN;
  });
  return estimateRestTokens(request, parts) + sum(partSizes);
}

type MeasuredRequest = Sizes & { readonly scale: number; readonly clamp: readonly Edit[] };

/** The sizes, the real tokens per estimated token, and the edits of the output limit that the target assumes. */
function measureRequest(
  request: RequestBody,
  dialect: Dialect,
  parts: readonly SentPart[],
  verdict: Verdict,
  { wireBytes, acceptedTokens = 0 }: PlanOptions,
): MeasuredRequest {
  const { limit } = verdict;
  if (verdict.class !== "context_tokens") {
    const before = verdict.unit === "chars" ? (verdict.actual ?? wireBytes) : wireBytes;
    const target = Math.floor(bytesTarget(verdict, before));
    return { unit: "bytes", before, target, enough: target, scale: 1, clamp: [] };
  }
  const estimate =
    estimateRestTokens(request, parts) + sum(parts.map(({ sentContent }) => estimatePartTokens(sentContent)));
  const output = verdict.output ?? 0;
  const reported = verdict.input ?? (verdict.actual === undefined ? undefined : verdict.actual - output);
  // A refused request is over its limit, whatever our estimate says.
  const before = reported ?? Math.max(estimate, limit === undefined ? 0 : Math.ceil(limit * 1.05));
  if (limit === undefined) {
    const target = Math.floor(before * UNKNOWN_LIMIT_SHARE);
    // A size that was accepted before suffices, as long as it is clearly less.
    const enough = Math.max(target, Math.floor(Math.min(before * 0.95, acceptedTokens * 0.98)));
    return { unit: "tokens", before, target, enough, scale: 1, clamp: [] };
  }
  const outputLimit = dialect.findOutputLimit(request);
  const requested = dialect.sharesWindow ? Math.max(output, outputLimit?.tokens ?? 0) : 0;
  const reserved = Math.min(requested, Math.floor(limit / 4));
  // What is removed is only estimated: the more is removed, the wider the margin.
  const margin = Math.max(64, limit * 0.02, (before - limit) * 0.04);
  const target = Math.floor(limit - reserved - Math.min(margin, limit / 8));
  const clamp = outputLimit !== undefined && reserved < requested ? (outputLimit.lowerTo(reserved) ?? []) : [];
  return { unit: "tokens", before, target, enough: target, scale: before / Math.max(1, estimate), clamp };
}

/** Where the provider counts bytes differently than we do, its own ratio of limit and size gives the target. */
function bytesTarget({ limit, actual }: Verdict, before: number): number {
  if (limit === undefined) return before * UNKNOWN_LIMIT_SHARE;
  const countsDifferently = before <= limit && actual !== undefined && actual > limit;
  return countsDifferently ? ((before * limit) / actual) * 0.995 : limit - Math.max(128, limit * 0.005);
}

/** Parts in the order in which they are replaced. The newest exchange comes last. */
type RankedParts = { readonly older: readonly SentPart[]; readonly newest: readonly SentPart[] };

/** Within one rank the largest come first. */
function rankParts(parts: readonly SentPart[], verdict: Verdict): RankedParts {
  const ranked = parts
    .map((part) => ({ part, rank: rankOf(part, verdict), chars: countPartChars(part.sentContent) }))
    .filter(({ part, chars }) => countStubChars(part) !== undefined || chars > STUB_CHARS + MIN_GAIN_CHARS)
    .sort((one, other) => one.rank - other.rank || other.chars - one.chars);
  const older = ranked.filter(({ rank }) => rank < ranks.newestResult);
  const newest = ranked.filter(({ rank }) => rank >= ranks.newestResult);
  return { older: older.map(({ part }) => part), newest: newest.map(({ part }) => part) };
}

function rankOf(part: Part, verdict: Verdict): number {
  if (verdict.path !== undefined && isAtPath(part.path, verdict.path)) return ranks.namedInError;
  if (part.isCurrent || (part.role === "attachment" && part.isNewest)) return ranks.currentAttachment;
  if (part.role === "attachment") return ranks.olderAttachment;
  if (part.isNewest) return ranks.newestResult;
  return isDocumentOrBinary(part) ? ranks.olderDocument : ranks.olderResult;
}

/** The lower, the earlier a part is replaced. */
const ranks = {
  namedInError: 1,
  olderAttachment: 2,
  olderDocument: 3,
  olderResult: 4,
  newestResult: 5,
  currentAttachment: 6,
} as const;

/**
 * Whether a path in an error is that of a part. `messages.3.content.0.image.source` is inside `messages.3.content.0`, and
 * `input[0].content` is around it. After an index some providers add the type of the block:
 * `content.0.tool_result.content.1.image`.
 */
function isAtPath(partPath: Path, errorPath: string): boolean {
  const steps = errorPath.split(/[.[\]]+/).filter(Boolean);
  let matched = 0;
  for (const [index, step] of steps.entries()) {
    if (matched === partPath.length) break;
    if (String(partPath[matched]) === step) matched++;
    else if (!/^\d+$/.test(steps[index - 1] ?? "")) return false;
  }
  return matched >= 2;
}

/** Text from a document or of binary data is the least useful in a conversation. */
function isDocumentOrBinary({ content }: Part): boolean {
  if (!("text" in content)) return true;
  const start = content.text.slice(0, 400);
  return /artifact_ref=af_[0-9a-f]{32}/.test(start) || start.includes("%PDF-") || looksBinary(start);
}

function looksBinary(start: string): boolean {
  const controlChars = [...start].filter((unit) => /[\p{Cc}\uFFFD]/u.test(unit) && !/[\t\n\r]/.test(unit)).length;
  return controlChars > start.length / 20 || /^[A-Za-z0-9+/_-]{200,}/.test(start);
}

/** The size of what is sent for a part, and of a stub that shows some of its characters. */
type Measure = {
  readonly part: (part: SentPart) => number;
  readonly stub: (part: SentPart, shownChars: number) => number;
};

function createMeasure(unit: Sizes["unit"], scale: number): Measure {
  const sizes = new Map<SentPart, number>();
  const measurePart =
    unit === "bytes" ? jsonBytes : ({ sentContent }: SentPart) => estimatePartTokens(sentContent) * scale;
  const lineSize = unit === "bytes" ? STUB_CHARS : (STUB_CHARS / STUB_CHARS_PER_TOKEN) * Math.max(1, scale);

  function partSize(part: SentPart): number {
    const size = sizes.get(part) ?? measurePart(part);
    sizes.set(part, size);
    return size;
  }

  /** Where a stub is sent already, its own line is measured and not assumed. */
  function stubSize(part: SentPart, shownChars: number): number {
    const [size, chars, shownNow] = [
      partSize(part),
      Math.max(1, countPartChars(part.sentContent)),
      countStubChars(part),
    ];
    const line = shownNow === undefined ? lineSize : (size * (chars - shownNow)) / chars;
    return line + (shownChars * size) / chars;
  }

  return { part: partSize, stub: stubSize };
}

const jsonBytes = ({ sentContent }: SentPart): number =>
  Buffer.byteLength(JSON.stringify("text" in sentContent ? sentContent.text : sentContent.base64));

/** First older parts are replaced by previews, then those previews are dropped. Only then the newest exchange follows. */
function chooseReplacements(
  { older, newest }: RankedParts,
  sizes: Sizes,
  measure: Measure,
): { replacements: Replacement[]; after: number } {
  const { before, target, enough } = sizes;
  const selection = createSelection(before, measure);
  selection.replaceParts(older, target, previewChars);
  selection.dropPreviews(older, enough);
  selection.replaceParts(newest, enough, (part, size) => excerptChars(part, selection.after() - enough, size, measure));
  selection.dropPreviews(newest, enough);
  return { replacements: selection.replacements(), after: selection.after() };
}

/** Selects parts one by one and tracks the remaining size. Each step stops as soon as that reaches its goal. */
function createSelection(before: number, measure: Measure) {
  const selected = new Map<SentPart, number>();
  let after = before;

  function select(part: SentPart, shownChars: number, size: number): void {
    const saved = size - measure.stub(part, shownChars);
    if (saved <= 0) return;
    selected.set(part, shownChars);
    after -= saved;
  }

  function replaceParts(
    parts: readonly SentPart[],
    goal: number,
    chooseShownChars: (part: SentPart, size: number) => number,
  ): void {
    for (const part of parts) {
      if (after <= goal) break;
      if ((countStubChars(part) ?? Infinity) <= PREVIEW_CHARS) continue;
      const size = measure.part(part);
      select(part, chooseShownChars(part, size), size);
    }
  }

  /** The oldest first. */
  function dropPreviews(parts: readonly SentPart[], goal: number): void {
    for (const part of parts.toSorted((one, other) => one.index - other.index)) {
      if (after <= goal) break;
      const shownChars = selected.get(part);
      if (shownChars !== undefined) select(part, 0, measure.stub(part, shownChars));
      else if (countStubChars(part) !== undefined) select(part, 0, measure.part(part));
    }
  }

  const replacements = () => [...selected].map(([part, shownChars]) => ({ part, shownChars }));
  return { replaceParts, dropPreviews, replacements, after: () => after };
}

/** Short texts get a shorter preview, so that replacing them still saves something. */
function previewChars({ content }: Part): number {
  return "text" in content ? Math.min(PREVIEW_CHARS, Math.floor(content.text.length / 10)) : 0;
}

/** As much of a newest result as fits. */
function excerptChars(part: SentPart, excess: number, size: number, measure: Measure): number {
  if (!("text" in part.content)) return 0;
  const chars = countPartChars(part.sentContent);
  const overhead = measure.stub(part, 0);
  const share = Math.max(0, size - excess - overhead) / Math.max(1, size);
  return Math.max(previewChars(part), Math.floor(chars * share * 0.97));
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
