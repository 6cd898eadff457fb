/** How many tokens things take, offline and for any model; an error's own figures then correct the scale. */
import type { PartContent, Request } from "./dialects/dialect.ts";
import type { Path } from "./wire/json-edits.ts";

/** Texts longer than this are judged by samples. */
const sampledFrom = 16_384;
const samples = 12;
const sampleChars = 1_024;

/** Tokens of a text: words by their length, digits in threes, marks one by one, other scripts by the character. */
export function textTokens(text: string): number {
  if (text.length <= sampledFrom) return countTokens(text);
  const step = Math.floor((text.length - sampleChars) / (samples - 1));
  let tokens = 0;
  for (let sample = 0; sample < samples; sample++) {
    tokens += countTokens(text, sample * step, sample * step + sampleChars);
  }
  return Math.ceil((tokens / (samples * sampleChars)) * text.length);
}

function countTokens(text: string, from = 0, to = text.length): number {
  let tokens = 0;
  let run = 0;
  let kind = "";
  for (let at = from; at <= to; at++) {
    const next = at === to ? "end" : kindOf(text.charCodeAt(at));
    const capitalised = kind === "upper" && next === "lower" && run === 1;
    if (next !== kind && !capitalised) {
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
  if (unit < 128) return "mark";
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
    case "mark":
      return run <= 3 ? 0.9 : run / 4;
    case "accented":
      return run * 0.6;
    case "wide":
      return run * 0.9;
    default:
      return 0;
  }
}

/** Providers turn a picture into a fixed number of tokens, and a document into so many per page. */
const pictureTokens = 1_600;
const documentCharsPerToken = 40;

/** One plan asks for the same part several times. */
const weighed = new WeakMap<PartContent, number>();

/** Tokens of a part. */
export function partTokens(content: PartContent): number {
  const tokens = weighed.get(content) ?? countPart(content);
  weighed.set(content, tokens);
  return tokens;
}

function countPart(content: PartContent): number {
  if ("text" in content) return textTokens(content.text);
  if (content.mediaType.startsWith("image/")) return Math.min(pictureTokens, Math.ceil(content.base64.length / 4));
  return Math.ceil(content.base64.length / documentCharsPerToken);
}

/** Characters a part takes inside the request. */
export function partChars(content: PartContent): number {
  return "text" in content ? content.text.length : content.base64.length;
}

/** Tokens of everything that is not a part: prompts, answers, tool definitions. */
export function restTokens(request: Request, parts: readonly { readonly at: Path }[]): number {
  return valueTokens(request, treeOf(parts.map(({ at }) => at)));
}

/** The steps of many paths; a step that leads nowhere further is a part. */
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
  if (typeof value === "string") return textTokens(value);
  if (typeof value !== "object" || value === null || ArrayBuffer.isView(value)) return 1;
  let tokens = 0;
  for (const [key, inner] of Object.entries(value)) {
    if (!Array.isArray(value)) tokens += Math.ceil(key.length / 5);
    tokens += valueTokens(inner, parts?.get(key));
  }
  return tokens;
}
