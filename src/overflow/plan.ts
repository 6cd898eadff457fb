/**
 * What to take out of a refused request, and in which order: a pure function of the request, the verdict and its
 * figures. The output room first, then the part that was named, then old attachments, old results, the newest results as
 * excerpts, and last what the user attached just now. It stops as soon as the request fits.
 */
import { isStub, shownIn } from "../answer/stub.ts";
import type { Dialect, OutputRoom, Part, Request } from "./dialects/dialect.ts";
import type { Edit, Path } from "./edits.ts";
import { partChars, partTokens, restTokens } from "./estimate.ts";
import type { Verdict } from "./verdict.ts";

/** One part to be replaced by a stub that shows so many characters of it. */
export type Shed = { readonly part: Part; readonly shownChars: number };

/** What is known of the request's size, in the unit that counts. */
export type Sizes = {
  readonly unit: "tokens" | "bytes";
  /** What it is taken to be now. */
  readonly before: number;
  /** What it must come down to. */
  readonly target: number;
};

export type Plan = {
  /** Edits that lower the output room; they remove nothing. */
  readonly clamp: readonly Edit[];
  /** In the order in which they are tried; where one cannot be kept, the next takes its place. */
  readonly sheds: readonly Shed[];
  readonly sizes: Sizes;
  /** Whether the plan brings the request down to the target. */
  readonly fits: boolean;
  /** What is missing to the target where it does not. */
  readonly shortBy: number;
};

/** What a request is brought down to when nothing is known of the limit but that it was too much. */
const blindShare = 0.45;
/** Characters of a stub's own line, roughly. */
const stubChars = 420;
/** What is shown of a part that is set aside as a whole. */
const glimpseChars = 300;
/** A part must be this much larger than its stub to be worth it. */
const leastGainChars = 100;

export type PlanOptions = {
  /** Bytes of the request as it was sent. */
  readonly wireBytes: number;
  /** Parts that could not be kept and must stay. */
  readonly staying?: ReadonlySet<string>;
  /** The largest estimate that the same target has accepted, where it names no numbers. */
  readonly accepted?: number;
  /** What an earlier plan fell short by. */
  readonly shortBy?: number;
};

/** The plan for a request that was refused with this verdict, or that is expected to be. */
export function planShedding(request: Request, dialect: Dialect, verdict: Verdict, options: PlanOptions): Plan {
  const { wireBytes, staying, shortBy = 0 } = options;
  const all = dialect.parts(request);
  const parts = all.filter((part) => !staying?.has(part.at.join(".")) && !(isStubbed(part) && shownChars(part) === 0));
  const bytes = { unit: "bytes", before: wireBytes, target: wireBytes } as const;
  const clamp = clampOf(dialect.outputRoom(request), verdict);
  if (clamp) return { clamp, sheds: [], sizes: bytes, fits: true, shortBy: 0 };
  if (isAboutOnePart(verdict)) {
    const sheds = parts.filter((part) => isPointedAt(part, verdict)).map(wholeShed);
    return { clamp: [], sheds, sizes: bytes, fits: sheds.length > 0, shortBy: 0 };
  }
  const { scale, clamp: lowered, ...sizes } = sizesOf(request, dialect, all, verdict, options);
  const goal = { ...sizes, target: sizes.target - shortBy };
  const { sheds, after } = choose(candidates(parts, verdict), goal, measureFor(sizes.unit, scale));
  const left = sizes.unit === "tokens" && after > goal.target ? Math.min(after, leftOver(request, all, sheds)) : after;
  const missing = Math.max(0, left - goal.target);
  return { clamp: sheds.length > 0 ? lowered : [], sheds, sizes: goal, fits: missing === 0, shortBy: missing };
}

/** The room that is left for the answer when the input alone fits, if that is enough to be of use. */
function clampOf(room: OutputRoom | undefined, verdict: Verdict): readonly Edit[] | undefined {
  const { limit, input, output } = verdict;
  if (room === undefined || limit === undefined) return undefined;
  if (verdict.class === "output_limit") return limit < room.tokens ? room.lowered(limit) : undefined;
  if (verdict.class !== "context_tokens" || input === undefined || output === undefined) return undefined;
  const left = limit - input - clampMargin(limit);
  if (input >= limit || left >= room.tokens || left < Math.max(256, room.tokens * 0.05)) return undefined;
  return room.lowered(left);
}

const clampMargin = (limit: number): number => Math.max(32, Math.ceil(limit * 0.005));

/** A limit on one string or one attachment: the size of the whole request is not at fault. */
function isAboutOnePart(verdict: Verdict): boolean {
  return verdict.class === "attachment_limit" || (verdict.class === "request_bytes" && verdict.unit === "chars");
}

function isPointedAt(part: Part, verdict: Verdict): boolean {
  const { path, limit, unit } = verdict;
  if (verdict.class === "attachment_limit" && part.role !== "attachment") return false;
  if (path !== undefined && isNamed(part.at, path)) return true;
  if (path !== undefined || limit === undefined) return false;
  if (unit === "chars") return partChars(part.content) > limit;
  return unit === "bytes" && (partChars(part.content) * 3) / 4 > limit;
}

function wholeShed(part: Part): Shed {
  return { part, shownChars: glimpse(part) };
}

/** What stays, counted for itself: where our scale is off, the parts that go are the likelier reason. */
function leftOver(request: Request, parts: readonly Part[], sheds: readonly Shed[]): number {
  const gone = new Map(sheds.map(({ part, shownChars }) => [part.at.join("."), stubChars + shownChars]));
  const stays = parts.map(({ at, content }) => {
    const stub = gone.get(at.join("."));
    return stub === undefined ? partTokens(content) : stub / 3;
  });
  return restTokens(request, parts) + sum(stays);
}

type Measured = Sizes & { readonly scale: number; readonly clamp: readonly Edit[] };

/** Sizes, how many real tokens one of our estimated ones is, and the output room that goes with the target. */
function sizesOf(
  request: Request,
  dialect: Dialect,
  parts: readonly Part[],
  verdict: Verdict,
  { wireBytes, accepted = 0 }: PlanOptions,
): Measured {
  const { limit } = verdict;
  if (verdict.class !== "context_tokens") {
    const target = Math.floor(bytesTarget(verdict, wireBytes));
    return { unit: "bytes", before: wireBytes, target, scale: 1, clamp: [] };
  }
  const estimate = restTokens(request, parts) + sum(parts.map(({ content }) => partTokens(content)));
  const output = verdict.output ?? 0;
  const said = verdict.input ?? (verdict.actual === undefined ? undefined : verdict.actual - output);
  // A refused request is over its limit, whatever we think it weighs.
  const before = said ?? Math.max(estimate, limit === undefined ? 0 : Math.ceil(limit * 1.05));
  if (limit === undefined) {
    // What was accepted before is a safer guess than a share, as long as it is clearly less.
    const target = Math.min(before * 0.95, Math.max(before * blindShare, accepted * 0.98));
    return { unit: "tokens", before, target: Math.floor(target), scale: 1, clamp: [] };
  }
  const room = dialect.outputRoom(request);
  const asked = dialect.sharesWindow ? Math.max(output, room?.tokens ?? 0) : 0;
  const reserved = Math.min(asked, Math.floor(limit / 4));
  // What is taken out is only estimated: the more of it there is, the wider the margin.
  const margin = Math.max(64, limit * 0.02, (before - limit) * 0.04);
  const target = Math.floor(limit - reserved - Math.min(margin, limit / 8));
  const clamp = room !== undefined && reserved < asked ? (room.lowered(reserved) ?? []) : [];
  return { unit: "tokens", before, target, scale: before / Math.max(1, estimate), clamp };
}

/** A request that was refused below the limit is counted otherwise than we count: its share of the limit still tells. */
function bytesTarget({ limit, actual }: Verdict, wireBytes: number): number {
  if (limit === undefined) return wireBytes * blindShare;
  const countsOtherwise = wireBytes <= limit && actual !== undefined && actual > limit;
  return countsOtherwise ? ((wireBytes * limit) / actual) * 0.995 : limit - Math.max(128, limit * 0.005);
}

/** Parts in the order of the remedies. Within one remedy the largest come first. */
function candidates(parts: readonly Part[], verdict: Verdict): Part[] {
  const ranked = parts.map((part) => ({ part, rank: rankOf(part, verdict), chars: partChars(part.content) }));
  const worth = ranked.filter(({ part, chars }) => isStubbed(part) || chars > stubChars + leastGainChars);
  return worth.sort((one, other) => one.rank - other.rank || other.chars - one.chars).map(({ part }) => part);
}

/** 1 named, 2 older attachments, 3 and 4 older results, 5 newest results, 6 newest attachments. */
function rankOf(part: Part, verdict: Verdict): number {
  const named = verdict.path !== undefined && isNamed(part.at, verdict.path);
  if (named) return 1;
  if (part.role === "attachment") return part.newest ? 6 : 2;
  if (part.newest) return 5;
  return isHeavyKind(part) ? 3 : 4;
}

/** `messages.3.content.0.image.source` names `messages.3.content.0`, and `input[0].content` what is inside it. */
function isNamed(at: Path, path: string): boolean {
  const named = path.split(/[.[\]]+/).filter(Boolean);
  const common = Math.min(named.length, at.length);
  return common >= 2 && named.slice(0, common).every((step, index) => String(at[index]) === step);
}

/** What came out of a document or is no text at all is of the least use inside the conversation. */
function isHeavyKind({ content }: Part): boolean {
  if (!("text" in content)) return true;
  const start = content.text.slice(0, 400);
  return /artifact_ref=af_[0-9a-f]{32}/.test(start) || start.includes("%PDF-") || looksBinary(start);
}

function looksBinary(start: string): boolean {
  const strange = [...start].filter((unit) => /[\p{Cc}\uFFFD]/u.test(unit) && !/[\t\n\r]/.test(unit)).length;
  return strange > start.length / 20 || /^[A-Za-z0-9+/_-]{200,}/.test(start);
}

/** How much a part weighs, and how much a stub that shows so many of its characters. */
type Measure = { readonly part: (part: Part) => number; readonly stub: (part: Part, shownChars: number) => number };

function measureFor(unit: Sizes["unit"], scale: number): Measure {
  const weights = new Map<Part, number>();
  const weigh = unit === "bytes" ? jsonBytes : ({ content }: Part) => partTokens(content) * scale;
  const lineWeight = unit === "bytes" ? stubChars : (stubChars / 3) * Math.max(1, scale);

  function partWeight(part: Part): number {
    const weight = weights.get(part) ?? weigh(part);
    weights.set(part, weight);
    return weight;
  }

  return {
    part: partWeight,
    stub: (part, shown) =>
      lineWeight + (shown === 0 ? 0 : (shown * partWeight(part)) / Math.max(1, partChars(part.content))),
  };
}

const jsonBytes = ({ content }: Part): number =>
  Buffer.byteLength(JSON.stringify("text" in content ? content.text : content.base64));

/** First all that is heavy, with a glimpse of each; only if that is not enough the glimpses go too, the oldest first. */
function choose(parts: readonly Part[], { before, target }: Sizes, measure: Measure): { sheds: Shed[]; after: number } {
  const chosen = new Map<Part, number>();
  let after = before;
  function take(part: Part, shown: number, weight: number): void {
    const saved = weight - measure.stub(part, shown);
    if (saved <= 0) return;
    chosen.set(part, shown);
    after -= saved;
  }
  for (const part of parts) {
    if (after <= target) break;
    if (isStubbed(part) && shownChars(part) <= glimpseChars) continue;
    const weight = measure.part(part);
    take(part, showing(part, after - target, weight, measure), weight);
  }
  for (const part of parts.toSorted((one, other) => Number(one.newest) - Number(other.newest))) {
    if (after <= target) break;
    const shown = chosen.get(part);
    if (shown === 0 || (shown === undefined && !isStubbed(part))) continue;
    take(part, 0, shown === undefined ? measure.part(part) : measure.stub(part, shown));
  }
  return { sheds: [...chosen].map(([part, shown]) => ({ part, shownChars: shown })), after };
}

function showing(part: Part, excess: number, weight: number, measure: Measure): number {
  if (isStubbed(part)) return 0;
  return part.newest ? excerptChars(part, excess, weight, measure) : glimpse(part);
}

const isStubbed = ({ content }: Part): boolean => "text" in content && isStub(content.text);

const shownChars = ({ content }: Part): number => ("text" in content ? shownIn(content.text) : 0);

/** Short texts get a shorter glimpse, so that setting them aside still gains something. */
function glimpse({ content }: Part): number {
  return "text" in content ? Math.min(glimpseChars, Math.floor(content.text.length / 10)) : 0;
}

/** As much of a newest result as there is room for once the excess is gone. */
function excerptChars(part: Part, excess: number, weight: number, measure: Measure): number {
  if (!("text" in part.content)) return 0;
  const chars = partChars(part.content);
  const overhead = measure.stub(part, 0);
  const share = Math.max(0, weight - excess - overhead) / Math.max(1, weight);
  return Math.max(glimpse(part), Math.floor(chars * share * 0.97));
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
