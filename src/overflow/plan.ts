/**
 * What to take out of a refused request, and in which order: a pure function of the request, the verdict and its
 * figures. The output room first, then the part that was named, then old attachments, old results, the newest results as
 * excerpts, and last what the user attached just now. It stops as soon as the request fits.
 */
import { shownIn } from "../answer/stub-text.ts";
import type { Verdict } from "./classify/verdict.ts";
import type { Dialect, OutputRoom, Part, PartContent, Request } from "./dialects/dialect.ts";
import { partChars, partTokens, restTokens } from "./estimate-tokens.ts";
import type { Edit, Path } from "./wire/json-edits.ts";

/** One part to be replaced by a stub that shows so many characters of it. */
export type Shed = { readonly part: Part; readonly shownChars: number };

/** What is known of the request's size, in the unit that counts. */
export type Sizes = {
  readonly unit: "tokens" | "bytes";
  /** What it is taken to be now. */
  readonly before: number;
  /** What it must come down to. */
  readonly target: number;
  /** What would do: more than the target where that is a guess. Nothing of the newest exchange goes for less than this. */
  readonly enough: number;
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
  /** Stubs that already stand in the place of parts, by path. */
  readonly stuck?: ReadonlyMap<string, string>;
  /** Parts that could not be kept and must stay. */
  readonly staying?: ReadonlySet<string>;
  /** The largest estimate that the same target has accepted, where it names no numbers. */
  readonly accepted?: number;
  /** What an earlier plan fell short by. */
  readonly shortBy?: number;
};

/** A part, the how manyth it is, and what is sent in its place now: itself, or the stub that an earlier request put there. */
type Standing = Part & { readonly now: PartContent; readonly place: number };

/** The plan for a request that was refused with this verdict, or that is expected to be. */
export function planShedding(request: Request, dialect: Dialect, verdict: Verdict, options: PlanOptions): Plan {
  const { wireBytes, stuck, staying, shortBy = 0 } = options;
  const all = dialect.parts(request).map((part, place): Standing => {
    const stub = stuck?.get(part.at.join("."));
    return { ...part, place, now: stub === undefined ? part.content : { text: stub } };
  });
  const parts = all.filter((part) => !staying?.has(part.at.join(".")) && !isLight(part));
  const bytes = { unit: "bytes", before: wireBytes, target: wireBytes, enough: wireBytes } as const;
  const clamp = clampOf(dialect.outputRoom(request), verdict);
  if (clamp) return { clamp, sheds: [], sizes: bytes, fits: true, shortBy: 0 };
  // No input is at fault for the room that was asked for.
  if (verdict.class === "output_limit") return { clamp: [], sheds: [], sizes: bytes, fits: false, shortBy: 0 };
  if (isAboutOnePart(verdict, parts)) {
    const sheds = pointedAt(parts, verdict).map(wholeShed);
    return { clamp: [], sheds, sizes: bytes, fits: sheds.length > 0, shortBy: 0 };
  }
  const { scale, clamp: lowered, ...sizes } = sizesOf(request, dialect, all, verdict, options);
  const goal = { ...sizes, target: sizes.target - shortBy, enough: sizes.enough - shortBy };
  const { sheds, after } = choose(candidates(parts, verdict), goal, measureFor(sizes.unit, scale));
  const left = sizes.unit === "tokens" && after > goal.enough ? Math.min(after, leftOver(request, all, sheds)) : after;
  const missing = Math.max(0, left - goal.enough);
  return { clamp: sheds.length > 0 ? lowered : [], sheds, sizes: goal, fits: missing === 0, shortBy: missing };
}

/** A stub that shows nothing cannot become lighter; one that the client itself sends is left its glimpse. */
function isLight(part: Standing): boolean {
  return (stubShown(part) ?? Infinity) <= (part.now === part.content ? glimpseChars : 0);
}

/** How much is shown by the stub that stands in a part's place, or undefined where none does. */
function stubShown({ now }: Standing): number | undefined {
  return "text" in now ? shownIn(now.text) : undefined;
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
function isAboutOnePart(verdict: Verdict, parts: readonly Standing[]): boolean {
  if (verdict.class === "attachment_limit") return true;
  if (verdict.class !== "request_bytes" || verdict.unit !== "chars") return false;
  // Characters of no part in particular are those of all, unless one part alone has that many.
  const longest = Math.max(0, ...parts.map(({ now }) => partChars(now)));
  return verdict.path !== undefined || longest > (verdict.actual ?? verdict.limit ?? Infinity) * 0.95;
}

/** The parts a limit on one part is about: the one that is named, those over it, or as many as are too many. */
function pointedAt(parts: readonly Standing[], verdict: Verdict): readonly Standing[] {
  const { path, limit, unit } = verdict;
  const asked = parts.filter(({ role }) => verdict.class !== "attachment_limit" || role === "attachment");
  if (path !== undefined) {
    const named = asked.filter(({ at }) => isNamed(at, path));
    if (named.length > 0 || unit === "chars") return named;
  }
  if (unit === "chars") return asked.filter(({ now }) => limit !== undefined && partChars(now) > limit);
  if (unit === "bytes") return asked.filter(({ now }) => limit !== undefined && (partChars(now) * 3) / 4 > limit);
  if (unit === "pages") return asked.filter(({ now }) => !isPicture(now));
  return unit === "pixels" || limit === undefined ? [] : overCount(asked, limit);
}

/** `too many images, max allowed is 16`: the oldest beyond that number; pictures where they alone are too many. */
function overCount(parts: readonly Standing[], most: number): readonly Standing[] {
  const pictures = parts.filter(({ now }) => isPicture(now));
  const counted = pictures.length > most ? pictures : parts;
  return counted.slice(0, Math.max(0, counted.length - most));
}

const isPicture = (content: PartContent): boolean => "base64" in content && content.mediaType.startsWith("image/");

function wholeShed(part: Standing): Shed {
  return { part, shownChars: glimpse(part) };
}

/** What stays, counted for itself: where our scale is off, the parts that go are the likelier reason. */
function leftOver(request: Request, parts: readonly Standing[], sheds: readonly Shed[]): number {
  const gone = new Map(sheds.map(({ part, shownChars }) => [part.at.join("."), stubChars + shownChars]));
  const stays = parts.map(({ at, now }) => {
    const stub = gone.get(at.join("."));
    return stub === undefined ? partTokens(now) : stub / 3;
  });
  return restTokens(request, parts) + sum(stays);
}

type Measured = Sizes & { readonly scale: number; readonly clamp: readonly Edit[] };

/** Sizes, how many real tokens one of our estimated ones is, and the output room that goes with the target. */
function sizesOf(
  request: Request,
  dialect: Dialect,
  parts: readonly Standing[],
  verdict: Verdict,
  { wireBytes, accepted = 0 }: PlanOptions,
): Measured {
  const { limit } = verdict;
  if (verdict.class !== "context_tokens") {
    const before = verdict.unit === "chars" ? (verdict.actual ?? wireBytes) : wireBytes;
    const target = Math.floor(bytesTarget(verdict, before));
    return { unit: "bytes", before, target, enough: target, scale: 1, clamp: [] };
  }
  const estimate = restTokens(request, parts) + sum(parts.map(({ now }) => partTokens(now)));
  const output = verdict.output ?? 0;
  const said = verdict.input ?? (verdict.actual === undefined ? undefined : verdict.actual - output);
  // A refused request is over its limit, whatever we think it weighs.
  const before = said ?? Math.max(estimate, limit === undefined ? 0 : Math.ceil(limit * 1.05));
  if (limit === undefined) {
    const target = Math.floor(before * blindShare);
    // What was accepted before would do, as long as it is clearly less.
    const enough = Math.max(target, Math.floor(Math.min(before * 0.95, accepted * 0.98)));
    return { unit: "tokens", before, target, enough, scale: 1, clamp: [] };
  }
  const room = dialect.outputRoom(request);
  const asked = dialect.sharesWindow ? Math.max(output, room?.tokens ?? 0) : 0;
  const reserved = Math.min(asked, Math.floor(limit / 4));
  // What is taken out is only estimated: the more of it there is, the wider the margin.
  const margin = Math.max(64, limit * 0.02, (before - limit) * 0.04);
  const target = Math.floor(limit - reserved - Math.min(margin, limit / 8));
  const clamp = room !== undefined && reserved < asked ? (room.lowered(reserved) ?? []) : [];
  return { unit: "tokens", before, target, enough: target, scale: before / Math.max(1, estimate), clamp };
}

/** A request that was refused below the limit is counted otherwise than we count: its share of the limit still tells. */
function bytesTarget({ limit, actual }: Verdict, before: number): number {
  if (limit === undefined) return before * blindShare;
  const countsOtherwise = before <= limit && actual !== undefined && actual > limit;
  return countsOtherwise ? ((before * limit) / actual) * 0.995 : limit - Math.max(128, limit * 0.005);
}

/** Parts in the order of the remedies; what belongs to the newest exchange is touched last. */
type Candidates = { readonly older: readonly Standing[]; readonly newest: readonly Standing[] };

/** Within one remedy the largest come first. */
function candidates(parts: readonly Standing[], verdict: Verdict): Candidates {
  const ranked = parts
    .map((part) => ({ part, rank: rankOf(part, verdict), chars: partChars(part.now) }))
    .filter(({ part, chars }) => stubShown(part) !== undefined || chars > stubChars + leastGainChars)
    .sort((one, other) => one.rank - other.rank || other.chars - one.chars);
  const among = (isIn: (rank: number) => boolean) => ranked.filter(({ rank }) => isIn(rank)).map(({ part }) => part);
  return { older: among((rank) => rank < firstNewestRank), newest: among((rank) => rank >= firstNewestRank) };
}

/** 1 named, 2 older attachments, 3 and 4 older results, 5 newest results, 6 what the turn that goes on was given. */
function rankOf(part: Part, verdict: Verdict): number {
  const named = verdict.path !== undefined && isNamed(part.at, verdict.path);
  if (named) return 1;
  if (part.current || (part.role === "attachment" && part.newest)) return 6;
  if (part.role === "attachment") return 2;
  if (part.newest) return 5;
  return isHeavyKind(part) ? 3 : 4;
}

const firstNewestRank = 5;

/**
 * `messages.3.content.0.image.source` names `messages.3.content.0`, and `input[0].content` what is inside it. After an
 * index some providers add the type of the block: `content.0.tool_result.content.1.image`.
 */
function isNamed(at: Path, path: string): boolean {
  const named = path.split(/[.[\]]+/).filter(Boolean);
  let matched = 0;
  for (const [index, step] of named.entries()) {
    if (matched === at.length) break;
    if (String(at[matched]) === step) matched++;
    else if (!/^\d+$/.test(named[index - 1] ?? "")) return false;
  }
  return matched >= 2;
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

/** How much what stands in a part's place weighs, and how much a stub that shows so many of its characters. */
type Measure = {
  readonly part: (part: Standing) => number;
  readonly stub: (part: Standing, shownChars: number) => number;
};

function measureFor(unit: Sizes["unit"], scale: number): Measure {
  const weights = new Map<Standing, number>();
  const weigh = unit === "bytes" ? jsonBytes : ({ now }: Standing) => partTokens(now) * scale;
  const lineWeight = unit === "bytes" ? stubChars : (stubChars / 3) * Math.max(1, scale);

  function partWeight(part: Standing): number {
    const weight = weights.get(part) ?? weigh(part);
    weights.set(part, weight);
    return weight;
  }

  /** What stands there already tells what its line weighs. */
  function stubWeight(part: Standing, shown: number): number {
    const [weight, chars, standing] = [partWeight(part), Math.max(1, partChars(part.now)), stubShown(part)];
    const line = standing === undefined ? lineWeight : (weight * (chars - standing)) / chars;
    return line + (shown * weight) / chars;
  }

  return { part: partWeight, stub: stubWeight };
}

const jsonBytes = ({ now }: Standing): number =>
  Buffer.byteLength(JSON.stringify("text" in now ? now.text : now.base64));

/** All that is heavy gives way to a glimpse of it, then the glimpses go too; only then the same for the newest exchange. */
function choose({ older, newest }: Candidates, sizes: Sizes, measure: Measure): { sheds: Shed[]; after: number } {
  const { before, target, enough } = sizes;
  const taking = takingFrom(before, measure);
  taking.heavy(older, target, glimpse);
  taking.glimpses(older, enough);
  taking.heavy(newest, enough, (part, weight) => excerptChars(part, taking.after() - enough, weight, measure));
  taking.glimpses(newest, enough);
  return { sheds: taking.sheds(), after: taking.after() };
}

/** Takes parts out one by one and keeps count of what is left; each stops as soon as that is down to its goal. */
function takingFrom(before: number, measure: Measure) {
  const chosen = new Map<Standing, number>();
  let after = before;

  function take(part: Standing, shown: number, weight: number): void {
    const saved = weight - measure.stub(part, shown);
    if (saved <= 0) return;
    chosen.set(part, shown);
    after -= saved;
  }

  function heavy(parts: readonly Standing[], goal: number, showing: (part: Standing, weight: number) => number): void {
    for (const part of parts) {
      if (after <= goal) break;
      if ((stubShown(part) ?? Infinity) <= glimpseChars) continue;
      const weight = measure.part(part);
      take(part, showing(part, weight), weight);
    }
  }

  /** The oldest first. */
  function glimpses(parts: readonly Standing[], goal: number): void {
    for (const part of parts.toSorted((one, other) => one.place - other.place)) {
      if (after <= goal) break;
      const shown = chosen.get(part);
      if (shown !== undefined) take(part, 0, measure.stub(part, shown));
      else if (stubShown(part) !== undefined) take(part, 0, measure.part(part));
    }
  }

  const sheds = () => [...chosen].map(([part, shownChars]) => ({ part, shownChars }));
  return { heavy, glimpses, sheds, after: () => after };
}

/** Short texts get a shorter glimpse, so that setting them aside still gains something. */
function glimpse({ content }: Part): number {
  return "text" in content ? Math.min(glimpseChars, Math.floor(content.text.length / 10)) : 0;
}

/** As much of a newest result as there is room for once the excess is gone. */
function excerptChars(part: Standing, excess: number, weight: number, measure: Measure): number {
  if (!("text" in part.content)) return 0;
  const chars = partChars(part.now);
  const overhead = measure.stub(part, 0);
  const share = Math.max(0, weight - excess - overhead) / Math.max(1, weight);
  return Math.max(glimpse(part), Math.floor(chars * share * 0.97));
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
