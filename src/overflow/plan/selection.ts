/** Selects the parts to replace: forward in their order until the request fits, then backward over what is not needed. */
import type { PartContent } from "../dialects/dialect.ts";
import { countPartChars, countPartTokens } from "../estimate-tokens.ts";
import type { RankedParts } from "./rank-parts.ts";
import {
  countStubChars,
  PREVIEW_CHARS,
  previewChars,
  type Replacement,
  type SentPart,
  STUB_CHARS,
} from "./sent-part.ts";
import { type Sizes, STUB_CHARS_PER_TOKEN } from "./sizes.ts";

/** The replacements and the size that remains, by a cautious count. */
export type Selected = { readonly replacements: Replacement[]; readonly after: number };

/** First older parts are replaced by previews, then those previews are dropped. Only then the newest exchange follows. */
export function chooseReplacements({ older, newest }: RankedParts, sizes: Sizes): Selected {
  const measure = createMeasure(sizes);
  const selection = createSelection(sizes, measure);
  const excerpt = (part: SentPart) => excerptChars(part, selection.excess(), measure);
  selection.replaceParts(older, selection.isRoomy, previewChars);
  selection.dropPreviews(older, selection.fits);
  selection.replaceParts(newest, selection.fits, excerpt);
  selection.dropPreviews(newest, selection.fits);
  if (selection.fits() && !sizes.isGuess) {
    selection.giveBack(newest, selection.fits);
    selection.giveBack(older, selection.isRoomy);
    selection.useRoom(older);
  }
  return { replacements: selection.replacements(), after: selection.after() };
}

/** What is removed is only estimated: this share of it may not have been there, whatever the tokenizer. */
const TOKEN_DOUBT = 0.03;

/**
 * Tracks the selected parts and the size that remains. Tokens are counted for several tokenizers. Where the removed parts
 * are of the same kind as the rest, they agree; where not, the one that removes the least decides.
 */
function createSelection(sizes: Sizes, measure: Measure) {
  const { before, target, enough } = sizes;
  const trust = sizes.unit === "tokens" ? 1 - TOKEN_DOUBT : 1;
  const selected = new Map<SentPart, number>();
  let saved: Counts = sizes.scales.map(() => 0);

  const savingOf = (part: SentPart, shownChars: number): Counts =>
    combine(measure.part(part), measure.stub(part, shownChars), (whole, stub) => whole - stub);
  /** The size that remains by the most cautious count. */
  const after = (): number => before - Math.min(...saved) * trust;
  const fits = (): boolean => after() <= enough;
  const isRoomy = (): boolean => fits() && before - (saved[0] ?? 0) <= target;

  function select(part: SentPart, shownChars: number): void {
    const shownNow = selected.get(part);
    const now = shownNow === undefined ? undefined : savingOf(part, shownNow);
    const gain = now === undefined ? savingOf(part, shownChars) : subtract(savingOf(part, shownChars), now);
    if ((gain[0] ?? 0) <= 0) return;
    selected.set(part, shownChars);
    saved = add(saved, gain);
  }

  function replaceParts(
    parts: readonly SentPart[],
    isDone: () => boolean,
    chooseShownChars: (part: SentPart) => number,
  ): void {
    for (const part of parts) {
      if (isDone()) break;
      if ((countStubChars(part) ?? Infinity) <= PREVIEW_CHARS) continue;
      select(part, chooseShownChars(part));
    }
  }

  /** The oldest first. */
  function dropPreviews(parts: readonly SentPart[], isDone: () => boolean): void {
    for (const part of parts.toSorted((one, other) => one.index - other.index)) {
      if (isDone()) break;
      if (selected.has(part) || countStubChars(part) !== undefined) select(part, 0);
    }
  }

  /** Leaves out every replacement without which the condition still holds, the last ones first. */
  function giveBack(parts: readonly SentPart[], stillHolds: () => boolean): void {
    for (const part of parts.toReversed()) {
      const shownChars = selected.get(part);
      if (shownChars === undefined) continue;
      if (!tryShowing(part, undefined, stillHolds) && shownChars === 0)
        tryShowing(part, previewChars(part), stillHolds);
    }
  }

  /** Shows more of a part, or all of it, unless the condition fails then. */
  function tryShowing(part: SentPart, shownChars: number | undefined, stillHolds: () => boolean): boolean {
    const [shownBefore, savedBefore] = [selected.get(part) ?? 0, saved];
    saved = subtract(saved, savingOf(part, shownBefore));
    if (shownChars !== undefined) saved = add(saved, savingOf(part, shownChars));
    if (!stillHolds()) {
      saved = savedBefore;
      return false;
    }
    if (shownChars === undefined) selected.delete(part);
    else selected.set(part, shownChars);
    return true;
  }

  /** The last part that had to be replaced may be much larger than what was missing: it shows as much as fits. */
  function useRoom(parts: readonly SentPart[]): void {
    const last = parts.findLast((part) => selected.has(part));
    if (last === undefined || !("text" in last.content) || last.sentContent !== last.content) return;
    // The same content always gets the same stub.
    const { text } = last.content;
    if (parts.some(({ content }) => content !== last.content && "text" in content && content.text === text)) return;
    const sizesOfLast = measure.part(last);
    const shares = [
      (target - before + (saved[0] ?? 0)) / (sizesOfLast[0] ?? 1),
      ...sizesOfLast.map((size, index) => (enough - before + (saved[index] ?? 0) * trust) / (size * trust)),
    ];
    const moreChars = Math.floor(Math.min(...shares) * text.length * 0.97);
    const shownChars = (selected.get(last) ?? 0) + moreChars;
    if (moreChars >= MIN_MORE_CHARS) tryShowing(last, shownChars, isRoomy);
  }

  return {
    fits,
    isRoomy,
    after,
    /** How much still has to be removed, for each tokenizer. */
    excess: (): Counts => saved.map((each) => (before - each * trust - enough) / trust),
    replaceParts,
    dropPreviews,
    giveBack,
    useRoom,
    replacements: () => [...selected].map(([part, shownChars]) => ({ part, shownChars })),
  };
}

/** Showing less than this in addition would not help a reader. */
const MIN_MORE_CHARS = 1_000;

/** Sizes of one thing: the tokens for each tokenizer, or its bytes. */
type Counts = readonly number[];

const combine = (one: Counts, other: Counts, operate: (left: number, right: number) => number): Counts =>
  one.map((left, index) => operate(left, other[index] ?? 0));
const add = (one: Counts, other: Counts): Counts => combine(one, other, (left, right) => left + right);
const subtract = (one: Counts, other: Counts): Counts => combine(one, other, (left, right) => left - right);

/** The size of what is sent for a part, and of a stub that shows some of its characters. */
type Measure = {
  readonly part: (part: SentPart) => Counts;
  readonly stub: (part: SentPart, shownChars: number) => Counts;
};

function createMeasure({ unit, scales }: Sizes): Measure {
  const partSizes = new Map<SentPart, Counts>();
  const measurePart = ({ sentContent, model }: SentPart): Counts =>
    unit === "bytes"
      ? [jsonBytes(sentContent)]
      : combine(countPartTokens(sentContent, model), scales, (tokens, scale) => tokens * scale);
  const lineSizes = scales.map((scale) =>
    unit === "bytes" ? STUB_CHARS : (STUB_CHARS / STUB_CHARS_PER_TOKEN) * Math.max(1, scale),
  );

  function partSize(part: SentPart): Counts {
    const size = partSizes.get(part) ?? measurePart(part);
    partSizes.set(part, size);
    return size;
  }

  /** Where a stub is sent already, its own line is measured and not assumed. */
  function stubSize(part: SentPart, shownChars: number): Counts {
    const [chars, shownNow] = [Math.max(1, countPartChars(part.sentContent)), countStubChars(part)];
    return partSize(part).map((size, index) => {
      const line = shownNow === undefined ? (lineSizes[index] ?? 0) : (size * (chars - shownNow)) / chars;
      return line + (shownChars * size) / chars;
    });
  }

  return { part: partSize, stub: stubSize };
}

const jsonBytes = (content: PartContent): number =>
  Buffer.byteLength(JSON.stringify("text" in content ? content.text : content.base64));

/** As much of a newest result as fits. */
function excerptChars(part: SentPart, excess: Counts, measure: Measure): number {
  if (!("text" in part.content)) return 0;
  const lines = measure.stub(part, 0);
  const shares = measure.part(part).map((size, index) => {
    const room = size - (excess[index] ?? 0) - (lines[index] ?? 0);
    return Math.max(0, room) / Math.max(1, size);
  });
  return Math.max(previewChars(part), Math.floor(countPartChars(part.sentContent) * Math.min(...shares) * 0.97));
}
