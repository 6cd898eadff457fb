/** Smooths the noise of a scan before its text is recognised: the engine takes every dark dot for a part of a letter. */

/** Neighbouring pixels of a clean page differ by less, in shades of grey: most of it is paper. */
const MAX_NOISE = 6;
/** Letters are unreadable after more. */
const MAX_ROUNDS = 2;

/**
 * Smooths a picture in shades of grey (PNM) in place, and says whether it was noisy. Other formats are left as they are.
 */
export function smoothNoise(picture: Uint8Array): boolean {
  const map = findPixels(picture);
  if (map === null) return false;
  let rounds = 0;
  for (; rounds < MAX_ROUNDS && measureNoise(map) > MAX_NOISE; rounds += 1) smooth(map);
  return rounds > 0;
}

type Pixels = { readonly width: number; readonly height: number; readonly shades: Uint8Array };

const HEADER_BYTES = 40;
/** A smaller picture is an icon. */
const MIN_SIDE_PIXELS = 16;

function findPixels(picture: Uint8Array): Pixels | null {
  const header = Buffer.from(picture.subarray(0, HEADER_BYTES)).toString("latin1");
  const [whole = "", widthText, heightText] = /^P5\s(\d+)\s(\d+)\s255\s/.exec(header) ?? [];
  const [width, height] = [Number(widthText ?? 0), Number(heightText ?? 0)];
  const shades = picture.subarray(whole.length);
  if (Math.min(width, height) < MIN_SIDE_PIXELS || shades.length < width * height) return null;
  return { width, height, shades };
}

/** Pixels that are looked at; no row or column is hit twice as often as others. */
const MAX_SAMPLES = 50_000;

/** How much a pixel usually differs from the mean of its four neighbours. */
function measureNoise({ width, height, shades }: Pixels): number {
  const last = width * (height - 1) - 1;
  const step = Math.max(1, Math.floor((last - width) / MAX_SAMPLES)) | 1;
  const counts = new Uint32Array(256);
  let samples = 0;
  for (let at = width + 1; at < last; at += step, samples += 1) {
    const around = shadeAt(shades, at - 1) + shadeAt(shades, at + 1) + shadeAt(shades, at - width);
    const difference = Math.abs(4 * shadeAt(shades, at) - around - shadeAt(shades, at + width)) >> 2;
    counts[difference] = (counts[difference] ?? 0) + 1;
  }
  return findMedian(counts, samples);
}

function findMedian(counts: Uint32Array, total: number): number {
  let seen = 0;
  return counts.findIndex((count) => {
    seen += count;
    return seen * 2 >= total;
  });
}

const shadeAt = (shades: Uint8Array, at: number): number => shades[at] ?? 0;

/** Replaces each pixel by the mean of the nine around it. Only three rows are kept beside the picture. */
function smooth({ width, height, shades }: Pixels): void {
  let above = sumRow(shades, 0, width, new Uint16Array(width));
  let row = sumRow(shades, 0, width, new Uint16Array(width));
  let below = new Uint16Array(width);
  for (let y = 0; y < height; y += 1) {
    below = sumRow(shades, Math.min(y + 1, height - 1) * width, width, below);
    for (let x = 0; x < width; x += 1) shades[y * width + x] = ((above[x] ?? 0) + (row[x] ?? 0) + (below[x] ?? 0)) / 9;
    [above, row, below] = [row, below, above];
  }
}

/** The sums of each pixel of a row and its neighbours. */
function sumRow(shades: Uint8Array, from: number, width: number, sums: Uint16Array<ArrayBuffer>) {
  for (let x = 0; x < width; x += 1) {
    const left = shadeAt(shades, from + Math.max(0, x - 1));
    sums[x] = left + shadeAt(shades, from + x) + shadeAt(shades, from + Math.min(width - 1, x + 1));
  }
  return sums;
}
