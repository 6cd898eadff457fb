/** Estimates tokens offline and for any model. The figures of a refusal correct the scale. */

import { readImageSize } from "../detect/image-size.ts";
import type { Path } from "../system/json-edits.ts";
import type { PartContent, RequestBody } from "./dialects/dialect.ts";
import { countPictureTokens } from "./picture-prices.ts";
import type { OutgoingRequest } from "./wire/outgoing-request.ts";

/** Longer texts are estimated from samples. */
const MAX_COUNTED_CHARS = 16_384;
const SAMPLE_COUNT = 12;
const SAMPLE_CHARS = 1_024;

const kinds = ["lower", "upper", "digit", "space", "break", "punctuation", "accented", "wide", "picture"] as const;

type Kind = (typeof kinds)[number];

/** Tokens by kind of character. */
type KindTokens = Float64Array;

/**
 * Tokenizers and prices differ most in these: each row is a tokenizer that counts some kinds of characters for more or less
 * than our estimate does. The first one is the estimate itself. A plan that holds for all of them holds for most models.
 */
const tokenizers: readonly Readonly<Partial<Record<Kind, number>>>[] = [
  {},
  { digit: 2, punctuation: 1.1 },
  { wide: 1.5, accented: 1.4 },
  { wide: 0.75, accented: 0.75 },
  { punctuation: 1.25, break: 1.4, space: 1.3, upper: 1.2 },
  { punctuation: 0.8, break: 0.6, space: 0.7, upper: 0.85, digit: 0.9 },
  { picture: 1.5 },
  { picture: 0.5 },
];

/** Tokens as each of the tokenizers would count them. The first number is our estimate. */
export type TokenCounts = readonly number[];

const factors = tokenizers.map((factorOf) => kinds.map((kind) => factorOf[kind] ?? 1));

function toCounts(tokens: KindTokens): TokenCounts {
  return factors.map((row) => row.reduce((sum, factor, kind) => sum + factor * (tokens[kind] ?? 0), 0));
}

/** The sum of counts, tokenizer by tokenizer. */
export function addCounts(one: TokenCounts, other: TokenCounts): TokenCounts {
  return one.map((tokens, index) => tokens + (other[index] ?? 0));
}

export const noTokens: TokenCounts = tokenizers.map(() => 0);

/** Adds a text: words by their length, digits in threes, punctuation one by one, other scripts by the character. */
function addText(tokens: KindTokens, text: string): void {
  if (text.length <= MAX_COUNTED_CHARS) {
    countRuns(tokens, text, 0, text.length, 1);
    return;
  }
  const step = Math.floor((text.length - SAMPLE_CHARS) / (SAMPLE_COUNT - 1));
  const weight = text.length / (SAMPLE_COUNT * SAMPLE_CHARS);
  for (let sample = 0; sample < SAMPLE_COUNT; sample++) {
    countRuns(tokens, text, sample * step, sample * step + SAMPLE_CHARS, weight);
  }
}

function countRuns(tokens: KindTokens, text: string, start: number, end: number, weight: number): void {
  let run = 0;
  let kind = -1;
  for (let offset = start; offset <= end; offset++) {
    const next = offset === end ? -1 : kindOf(text.charCodeAt(offset));
    const isCapitalised = kind === UPPER && next === LOWER && run === 1;
    if (next !== kind && !isCapitalised) {
      if (kind >= 0) tokens[kind] = (tokens[kind] ?? 0) + runTokens(kind, run) * weight;
      run = 0;
    }
    kind = next;
    run++;
  }
}

const [LOWER, UPPER, DIGIT, SPACE, BREAK, PUNCTUATION, ACCENTED, WIDE, PICTURE] = [0, 1, 2, 3, 4, 5, 6, 7, 8];

function kindOf(unit: number): number {
  if (unit >= 97 && unit <= 122) return LOWER;
  if (unit >= 65 && unit <= 90) return UPPER;
  if (unit >= 48 && unit <= 57) return DIGIT;
  if (unit === 32) return SPACE;
  if (unit < 33) return BREAK;
  if (unit < 128) return PUNCTUATION;
  return unit < 0x2e80 ? ACCENTED : WIDE;
}

function runTokens(kind: number, run: number): number {
  switch (kind) {
    case LOWER:
      return run <= 8 ? 1.05 : run / 5.5;
    case UPPER:
      return run <= 3 ? 0.9 : run / 3;
    case DIGIT:
      return Math.ceil(run / 3);
    case SPACE:
      return run === 1 ? 0 : 1;
    case BREAK:
      return 0.6;
    case PUNCTUATION:
      return run <= 3 ? 0.9 : run / 4;
    case ACCENTED:
      return run * 0.6;
    default:
      return run * 0.9;
  }
}

/** What most providers count for a large picture. For a document they count a number per page. */
const PICTURE_TOKENS = 1_600;
/** A camera writes a preview and its settings before the size. */
const MAX_HEADER_CHARS = 128 * 1024;
const DOCUMENT_CHARS_PER_TOKEN = 40;

/** One plan needs the tokens of the same part several times. A content belongs to one request, and so to one model. */
const countsByContent = new WeakMap<PartContent, TokenCounts>();

/** Estimates the tokens of a part, for all tokenizers. Models differ in what they count for a picture. */
export function countPartTokens(content: PartContent, model: string): TokenCounts {
  const counts = countsByContent.get(content) ?? toCounts(countPart(content, model));
  countsByContent.set(content, counts);
  return counts;
}

/** Estimates the tokens of a part. */
export function estimatePartTokens(content: PartContent, model: string): number {
  return Math.ceil(countPartTokens(content, model)[0] ?? 0);
}

function countPart(content: PartContent, model: string): KindTokens {
  const tokens: KindTokens = new Float64Array(kinds.length);
  if ("text" in content) addText(tokens, content.text);
  else tokens[PICTURE] = countAttachment(content, model);
  return tokens;
}

function countAttachment({ mediaType, base64 }: Exclude<PartContent, { text: string }>, model: string): number {
  if (!mediaType.startsWith("image/")) return Math.ceil(base64.length / DOCUMENT_CHARS_PER_TOKEN);
  const size = readImageSize(Buffer.from(base64.slice(0, MAX_HEADER_CHARS), "base64"));
  const tokens = size && countPictureTokens(model, size);
  return tokens ?? Math.min(PICTURE_TOKENS, Math.ceil(base64.length / 4));
}

const tokensByRequest = new WeakMap<RequestBody, number>();

/** Estimates the input tokens of a whole request. */
export function estimateRequest({ request, dialect, target }: OutgoingRequest): number {
  const known = tokensByRequest.get(request);
  if (known !== undefined) return known;
  const parts = dialect.findParts(request);
  const tokens = parts.reduce(
    (sum, { content }) => sum + estimatePartTokens(content, target.model),
    Math.ceil(countRestTokens(request, parts)[0] ?? 0),
  );
  tokensByRequest.set(request, tokens);
  return tokens;
}

/** Estimates the input tokens of a request from samples of its JSON. Attached bytes count next to nothing. */
export function estimateSamples(samples: readonly string[], bytes: number): number {
  const tokens: KindTokens = new Float64Array(kinds.length);
  for (const sample of samples) if (!isBase64(sample)) addText(tokens, sample.replace(/\\[nrt"\\]/g, "\n"));
  const sampledBytes = samples.reduce((sum, sample) => sum + Buffer.byteLength(sample), 0);
  return Math.ceil(((toCounts(tokens)[0] ?? 0) * bytes) / Math.max(1, sampledBytes));
}

const isBase64 = (text: string): boolean => /^[\w+/=-]{500,}$/.test(text);

/** The characters of a part inside the request. */
export function countPartChars(content: PartContent): number {
  return "text" in content ? content.text.length : content.base64.length;
}

/** Estimates the tokens of everything that is not a part: prompts, answers, tool definitions. */
export function countRestTokens(request: RequestBody, parts: readonly { readonly path: Path }[]): TokenCounts {
  const tokens: KindTokens = new Float64Array(kinds.length);
  addValue(tokens, request, treeOf(parts.map(({ path }) => path)));
  return toCounts(tokens);
}

/** The steps of many paths. A step without further steps is a part. */
type Tree = Map<string, Tree>;

function treeOf(paths: readonly Path[]): Tree {
  const root: Tree = new Map();
  for (const path of paths) {
    let node = root;
    for (const step of path) {
      const next = node.get(String(step)) ?? new Map();
      node.set(String(step), next);
      node = next;
    }
  }
  return root;
}

function addValue(tokens: KindTokens, value: unknown, parts: Tree | undefined): void {
  if (parts?.size === 0) return;
  if (typeof value === "string") addText(tokens, value);
  else if (typeof value !== "object" || value === null || ArrayBuffer.isView(value)) addTokens(tokens, 1);
  else addFields(tokens, value, parts);
}

function addFields(tokens: KindTokens, value: object, parts: Tree | undefined): void {
  for (const [key, inner] of Object.entries(value)) {
    if (!Array.isArray(value)) addTokens(tokens, Math.ceil(key.length / 5));
    addValue(tokens, inner, parts?.get(key));
  }
}

function addTokens(tokens: KindTokens, count: number): void {
  tokens[LOWER] = (tokens[LOWER] ?? 0) + count;
}
