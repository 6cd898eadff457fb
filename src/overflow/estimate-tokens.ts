/** Estimates tokens offline and for any model. The figures of a refusal correct the scale. */

import type { Path } from "../system/json-edits.ts";
import type { PartContent, RequestBody } from "./dialects/dialect.ts";

/** Longer texts are estimated from samples. */
const MAX_COUNTED_CHARS = 16_384;
const SAMPLE_COUNT = 12;
const SAMPLE_CHARS = 1_024;

/** Estimates a text: words by their length, digits in threes, punctuation one by one, other scripts by the character. */
function estimateText(text: string): number {
  if (text.length <= MAX_COUNTED_CHARS) return countTokens(text);
  const step = Math.floor((text.length - SAMPLE_CHARS) / (SAMPLE_COUNT - 1));
  let tokens = 0;
  for (let sample = 0; sample < SAMPLE_COUNT; sample++) {
    tokens += countTokens(text, sample * step, sample * step + SAMPLE_CHARS);
  }
  return Math.ceil((tokens / (SAMPLE_COUNT * SAMPLE_CHARS)) * text.length);
}

function countTokens(text: string, start = 0, end = text.length): number {
  let tokens = 0;
  let run = 0;
  let kind = "";
  for (let offset = start; offset <= end; offset++) {
    const next = offset === end ? "end" : kindOf(text.charCodeAt(offset));
    const isCapitalised = kind === "upper" && next === "lower" && run === 1;
    if (next !== kind && !isCapitalised) {
      tokens += runTokens(kind, run);
      run = 0;
    }
    kind = next;
    run++;
  }
  return Math.ceil(tokens);
}

function kindOf(unit: number): string {
  if (unit >= 97 && unit <= 122) return "lower";
  if (unit >= 65 && unit <= 90) return "upper";
  if (unit >= 48 && unit <= 57) return "digit";
  if (unit === 32) return "space";
  if (unit < 33) return "break";
  if (unit < 128) return "punctuation";
  return unit < 0x2e80 ? "accented" : "wide";
}

function runTokens(kind: string, run: number): number {
  switch (kind) {
    case "lower":
      return run <= 8 ? 1.05 : run / 5.5;
    case "upper":
      return run <= 3 ? 0.9 : run / 3;
    case "digit":
      return Math.ceil(run / 3);
    case "space":
      return run === 1 ? 0 : 1;
    case "break":
      return 0.6;
    case "punctuation":
      return run <= 3 ? 0.9 : run / 4;
    case "accented":
      return run * 0.6;
    case "wide":
      return run * 0.9;
    default:
      return 0;
  }
}

/** Providers count a fixed number of tokens for a picture, and for a document a number per page. */
const PICTURE_TOKENS = 1_600;
const DOCUMENT_CHARS_PER_TOKEN = 40;

/** One plan needs the tokens of the same part several times. */
const tokensByContent = new WeakMap<PartContent, number>();

/** Estimates the tokens of a part. */
export function estimatePartTokens(content: PartContent): number {
  const tokens = tokensByContent.get(content) ?? countPart(content);
  tokensByContent.set(content, tokens);
  return tokens;
}

function countPart(content: PartContent): number {
  if ("text" in content) return estimateText(content.text);
  if (content.mediaType.startsWith("image/")) return Math.min(PICTURE_TOKENS, Math.ceil(content.base64.length / 4));
  return Math.ceil(content.base64.length / DOCUMENT_CHARS_PER_TOKEN);
}

/** The characters of a part inside the request. */
export function countPartChars(content: PartContent): number {
  return "text" in content ? content.text.length : content.base64.length;
}

/** Estimates the tokens of everything that is not a part: prompts, answers, tool definitions. */
export function estimateRestTokens(request: RequestBody, parts: readonly { readonly path: Path }[]): number {
  return valueTokens(request, treeOf(parts.map(({ path }) => path)));
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

function valueTokens(value: unknown, parts: Tree | undefined): number {
  if (parts?.size === 0) return 0;
  if (typeof value === "string") return estimateText(value);
  if (typeof value !== "object" || value === null || ArrayBuffer.isView(value)) return 1;
  let tokens = 0;
  for (const [key, inner] of Object.entries(value)) {
    if (!Array.isArray(value)) tokens += Math.ceil(key.length / 5);
    tokens += valueTokens(inner, parts?.get(key));
  }
  return tokens;
}
