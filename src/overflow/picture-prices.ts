/** What providers count for a picture, by model, with the sources. */
import type { ImageSize } from "../detect/image-size.ts";

/**
 * `patches`: a number of tokens for each square of the picture, which is first made smaller to fit. `tiles`: a base, and a
 * number for each square of 512 pixels after scaling. `crops`: a number for each crop. `fixed`: the same for any size.
 */
type Price =
  | {
      readonly by: "patches";
      readonly patchPx: number;
      readonly tokens: number;
      readonly maxPatches: number;
      readonly maxEdgePx: number;
    }
  | { readonly by: "tiles"; readonly baseTokens: number; readonly tokens: number }
  | { readonly by: "crops"; readonly tokens: number }
  | { readonly by: "fixed"; readonly tokens: number };

type PriceRow = { readonly model: RegExp; readonly price: Price; readonly source: string };

const claudeVision = "platform.claude.com/docs/en/build-with-claude/vision";
const openaiVision = "platform.openai.com/docs/guides/images-vision";
const geminiTokens = "ai.google.dev/gemini-api/docs/image-understanding and /tokens";
const measured = "huggingface.co/datasets/JOHNISKING/image-token-cost: measured for ten sizes";

const claudePrice = (maxPatches: number, maxEdgePx: number): Price => ({
  by: "patches",
  patchPx: 28,
  tokens: 1,
  maxPatches,
  maxEdgePx,
});
const openaiPatches = (tokens: number, maxPatches = 1_536): Price => ({
  by: "patches",
  patchPx: 32,
  tokens,
  maxPatches,
  maxEdgePx: Infinity,
});

/** The first row that matches a model's name is used. */
const rows: readonly PriceRow[] = [
  { model: /^claude-[a-z]+-(?:4[-.][7-9]|[5-9])/, price: claudePrice(4_784, 2_576), source: claudeVision },
  { model: /^claude-/, price: claudePrice(1_568, 1_568), source: claudeVision },
  { model: /^gpt-(?:5\.[4-9]|[6-9])/, price: openaiPatches(1.2, 10_000), source: measured },
  { model: /^(?:gpt-5|gpt-4\.1)-mini/, price: openaiPatches(1.62), source: openaiVision },
  { model: /^(?:gpt-5|gpt-4\.1)-nano/, price: openaiPatches(2.46), source: openaiVision },
  { model: /^o4-mini/, price: openaiPatches(1.72), source: openaiVision },
  { model: /^gpt-5/, price: { by: "tiles", baseTokens: 70, tokens: 140 }, source: openaiVision },
  { model: /^o[13](?:-|$)/, price: { by: "tiles", baseTokens: 75, tokens: 150 }, source: openaiVision },
  { model: /^(?:gpt-4|chatgpt-4o)/, price: { by: "tiles", baseTokens: 85, tokens: 170 }, source: openaiVision },
  { model: /^gemini-[3-9]/, price: { by: "fixed", tokens: 1_120 }, source: geminiTokens },
  { model: /^gemini-/, price: { by: "crops", tokens: 258 }, source: geminiTokens },
];

/** The tokens that a model counts for a picture of this size, or undefined for a model that is not listed. */
export function countPictureTokens(model: string, size: ImageSize): number | undefined {
  const name = model.replace(/^.*\//, "");
  const price = rows.find((row) => row.model.test(name))?.price;
  return price && Math.ceil(priceOf(price, size));
}

function priceOf(price: Price, size: ImageSize): number {
  if (price.by === "fixed") return price.tokens;
  if (price.by === "patches") return countPatches(price, size) * price.tokens;
  if (price.by === "tiles") return price.baseTokens + countTiles(size) * price.tokens;
  return countCrops(size) * price.tokens;
}

function countPatches({ patchPx, maxPatches, maxEdgePx }: Extract<Price, { by: "patches" }>, size: ImageSize): number {
  const { width, height } = shrink(size, maxEdgePx / Math.max(size.width, size.height));
  return Math.min(maxPatches, Math.ceil(width / patchPx) * Math.ceil(height / patchPx));
}

/** The picture is made to fit a square of 2,048 pixels, then its shorter side 768. */
function countTiles(size: ImageSize): number {
  const inSquare = shrink(size, 2_048 / Math.max(size.width, size.height));
  const { width, height } = shrink(inSquare, 768 / Math.min(inSquare.width, inSquare.height));
  return Math.ceil(width / 512) * Math.ceil(height / 512);
}

/** A small picture is one crop. A larger one is cut into squares that depend on its shorter side. */
function countCrops({ width, height }: ImageSize): number {
  if (width <= 384 && height <= 384) return 1;
  const cropPx = Math.min(768, Math.max(256, Math.floor(Math.min(width, height) / 1.5)));
  return Math.ceil(width / cropPx) * Math.ceil(height / cropPx);
}

/** Never larger than it was. */
function shrink({ width, height }: ImageSize, factor: number): ImageSize {
  const scale = Math.min(1, factor);
  return { width: width * scale, height: height * scale };
}
