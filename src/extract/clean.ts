/**
 * Makes text safe to pass on: valid Unicode, no control characters but tab and newline, no terminal escapes, nothing
 * that shows a reader other text than a model gets, nothing invisible that no script needs. Every extractor's output
 * passes through here.
 *
 * Kept on purpose: U+2028 and U+2029 (no control characters, and legal inside a JSON string, which a newline in their
 * place would break).
 */
import { createInvisibleFilter } from "../system/invisible-characters.ts";

/** How many characters of each class were removed; a newline rewritten as `\n` does not count. */
export type RemovedCounts = {
  readonly controls: number;
  readonly escapes: number;
  readonly bidi: number;
  readonly tags: number;
  /** Soft hyphens and other places where a line may break. */
  readonly breaks: number;
  /** Other characters that nothing shows. */
  readonly invisible: number;
  readonly byteOrderMarks: number;
  /** Lone halves of a surrogate pair, each replaced by U+FFFD. */
  readonly surrogates: number;
  /** Stray control characters that U+FFFD shows; a run of NULs is shown once. */
  readonly shownControls: number;
};

/** How to clean. */
export type CleanOptions = {
  /** Show control characters that text does not use as U+FFFD, so that a reader sees where the text is damaged. */
  readonly showControls?: boolean;
};

/** Cleans a text that arrives in chunks; the result does not depend on where the chunks end. */
export interface Cleaner {
  /** The clean text so far that no later chunk can change. */
  push(chunk: string): string;
  /** The rest, once nothing follows. */
  flush(): string;
  readonly removed: RemovedCounts;
}

/** The clean form of a text and what was removed from it. Cleaning twice changes nothing. */
export function cleanText(text: string): { readonly text: string; readonly removed: RemovedCounts } {
  if (!mayBeUnclean.test(text)) return { text, removed: nothing };
  const cleaner = createCleaner();
  return { text: cleaner.push(text) + cleaner.flush(), removed: cleaner.removed };
}

/** Everything that any step below looks at: most text has none of it, and is read once. */
const mayBeUnclean =
  /[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u115f-\u1160\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ud800-\udfff\ufeff\uffa0\ufff0-\uffff]|\u00ad|\u034f|[\u17b4-\u17b5]|[\u180b-\u180f]|[\ufe00-\ufe0f]/;

const nothing: RemovedCounts = {
  controls: 0,
  escapes: 0,
  bidi: 0,
  tags: 0,
  breaks: 0,
  invisible: 0,
  byteOrderMarks: 0,
  surrogates: 0,
  shownControls: 0,
};

/** A cleaner for one text, with the counts for that text. */
export function createCleaner({ showControls = false }: CleanOptions = {}): Cleaner {
  const removed: Counts = { ...nothing };
  const visible = createInvisibleFilter(removed);
  let pending = "";
  let endsInNul = false;

  function cleanNext(text: string): string {
    const cleaned = clean(text, removed, showControls ? { isAfterNul: endsInNul } : null);
    if (text !== "") endsInNul = text.endsWith("\0");
    return cleaned;
  }

  return {
    removed,
    push(chunk) {
      const text = pending + chunk;
      const end = text.length - countOpenEndChars(text);
      pending = text.slice(end);
      return visible.push(cleanNext(text.slice(0, end)));
    },
    flush() {
      const text = pending;
      pending = "";
      return visible.push(cleanNext(text)) + visible.flush();
    },
  };
}

/**
 * Bounds on one escape sequence. A sequence that is not finished within them loses only its introducer: the text after
 * a stray one is content. Bodies hold no control characters, so a run of introducers is scanned once, not once each.
 */
const csi = "(?:\\x1b\\[|\\x9b)[0-?]{0,64}[ -/]{0,8}";
const MAX_STRING_BODY_CHARS = 4096;
const controlString = `(?:\\x1b[\\]PX^_]|[\\x90\\x98\\x9d-\\x9f])[^\\x00-\\x08\\n-\\x1f\\x7f-\\x9f]{0,${MAX_STRING_BODY_CHARS}}`;
const shortEscape = "\\x1b[ -/]{0,2}";

const forbidden = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ufeff]/;
const forbiddenOrEscape = new RegExp(
  `${csi}[@-~]|${controlString}(?:\\x07|\\x9c|\\x1b\\\\)|${shortEscape}[0-~]|${forbidden.source}`,
  "g",
);

/** Nearly all text is clean already: this checks it without a copy. */
function isClean(text: string): boolean {
  return !forbidden.test(text) && text.isWellFormed();
}

/** Set where control characters are shown: whether the text before ended in a NUL. */
type ShowOptions = { readonly isAfterNul: boolean };

function clean(text: string, removed: Counts, show: ShowOptions | null): string {
  if (isClean(text)) return text;
  const normalized = makeWellFormed(text, removed).replace(/\r\n?/g, "\n");
  if (isClean(normalized)) return normalized;
  return normalized.replace(forbiddenOrEscape, (match, offset: number) => {
    if (show === null || !strayControl.test(match)) return substitute(match, removed);
    removed.shownControls += 1;
    const isInRun = match === "\0" && (offset === 0 ? show.isAfterNul : normalized[offset - 1] === "\0");
    return isInRun ? "" : "\ufffd";
  });
}

/** Control characters other than those that terminals, manual pages and DOS write: BEL BS SUB ESC. */
const strayControl = /^[\x00-\x06\x0e-\x19\x1c-\x1f]$/;

type Counts = { -readonly [K in keyof RemovedCounts]: number };

function makeWellFormed(text: string, removed: Counts): string {
  if (text.isWellFormed()) return text;
  removed.surrogates += text.match(/\p{Surrogate}/gu)?.length ?? 0;
  return text.toWellFormed();
}

/** Line and page breaks of other systems separate words, so they become newlines; everything else is removed. */
function substitute(match: string, removed: Counts): string {
  if (match === "\v" || match === "\f" || match === "\x85") return "\n";
  removed[classify(match)] += 1;
  return "";
}

function classify(match: string): keyof RemovedCounts {
  const first = match.charCodeAt(0);
  if (first === 0xfeff) return "byteOrderMarks";
  if (first >= 0x2000) return "bidi";
  return match.length > 1 ? "escapes" : "controls";
}

const openEnd = new RegExp(`(?:\\r|[\\ud800-\\udbff]|${csi}|${shortEscape}|${controlString}\\x1b?)$`);
const MAX_OPEN_END_CHARS = 2 + MAX_STRING_BODY_CHARS + 1;

/** Length of an end whose meaning depends on what follows: half a surrogate pair, CR before LF, an open escape. */
function countOpenEndChars(text: string): number {
  const end = text.slice(-MAX_OPEN_END_CHARS);
  if (!/[\r\x1b\x80-\x9f\ud800-\udbff]/.test(end)) return 0;
  return openEnd.exec(end)?.[0].length ?? 0;
}
