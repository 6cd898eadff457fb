/** Measures OCR on scans with known text: pages of PDFs drawn as pictures, then blurred, turned a little and made noisy. */
import { defaultSettings } from "../src/config/settings.ts";
import { findOcr } from "../src/extract/ocr/ocr-options.ts";
import { recognizeText } from "../src/extract/ocr/tesseract.ts";
import { openPdf } from "../src/extract/pdf/document.ts";
import { computeF1, splitTokens, toBigrams } from "./pdf-score.ts";

/** How a picture is spoilt: degrees that it is turned by, and the strength of the noise in shades of grey. */
const conditions = [
  { name: "as drawn", degrees: 0, noise: 0 },
  { name: "noise", degrees: 0, noise: 60 },
  { name: "turned 0.7 degrees, noise", degrees: 0.7, noise: 60 },
  { name: "turned 2 degrees, strong noise", degrees: -2, noise: 110 },
] as const;

/** Pages to recognise; each takes seconds. */
const MAX_PAGES = 8;
const MIN_WORDS = 80;

/** Prints the agreement of recognised words with the text of the pages. */
export async function printOcr(paths: readonly string[]): Promise<void> {
  const ocr = findOcr({ ...defaultSettings, "ocr.languages": ["eng"] }, { readsPictures: true });
  if (ocr === undefined || "missingPackages" in ocr)
    return console.log("OCR is not measured: its packages are missing.");
  const pages = await drawPages(paths);
  const rows: Record<string, Record<string, string | number>> = {};
  for (const { name, degrees, noise } of conditions) {
    const cpuBefore = process.cpuUsage();
    const scores = [];
    for (const { picture, words } of pages) {
      const recognized = await recognizeText(spoil(picture, degrees, noise), ocr);
      const tokens = splitTokens(recognized?.text ?? "");
      scores.push({ words: computeF1(tokens, words), order: computeF1(toBigrams(tokens), toBigrams(words)) });
    }
    const { user, system } = process.cpuUsage(cpuBefore);
    rows[name] = {
      words: mean(scores.map((score) => score.words)).toFixed(3),
      order: mean(scores.map((score) => score.order)).toFixed(3),
      "least words": Math.min(...scores.map((score) => score.words)).toFixed(3),
      "CPU s per page": ((user + system) / 1e6 / Math.max(1, pages.length)).toFixed(1),
    };
  }
  console.log(`\nOCR of ${pages.length} pages with known text: F1 of words, and of pairs of words for the order`);
  console.table(rows);
}

type DrawnPage = { readonly picture: Graymap; readonly words: readonly string[] };
type Graymap = { readonly width: number; readonly height: number; readonly pixels: Uint8Array };

/** The first full page of documents that are spread over the list. */
async function drawPages(paths: readonly string[]): Promise<DrawnPage[]> {
  const pages: DrawnPage[] = [];
  const stride = Math.max(1, Math.floor(paths.length / MAX_PAGES));
  for (let index = 0; index < paths.length && pages.length < MAX_PAGES; index += stride) {
    const opened = await openPdf({ path: paths[index] ?? "" });
    if ("failed" in opened) continue;
    const words = splitTokens(opened.document.readPageText(0).text);
    const picture = opened.document.renderPage(0);
    opened.document.close();
    if (words.length >= MIN_WORDS && picture !== null) pages.push({ picture: parseGraymap(picture), words });
  }
  return pages;
}

function parseGraymap(bytes: Uint8Array): Graymap {
  const header = Buffer.from(bytes.subarray(0, 40)).toString("latin1");
  const [whole = "", width = "0", height = "0"] = /^P5\n(\d+) (\d+)\n255\n/.exec(header) ?? [];
  return { width: Number(width), height: Number(height), pixels: bytes.subarray(whole.length) };
}

/** The picture turned around its middle, blurred by the turn, with the same noise on every run. */
function spoil({ width, height, pixels }: Graymap, degrees: number, noise: number): Uint8Array {
  const header = Buffer.from(`P5\n${width} ${height}\n255\n`);
  const spoilt = new Uint8Array(header.length + width * height);
  spoilt.set(header);
  const [cos, sin] = [Math.cos((degrees * Math.PI) / 180), Math.sin((degrees * Math.PI) / 180)];
  const [middleX, middleY] = [width / 2, height / 2];
  const pixelAt = (x: number, y: number): number =>
    x < 0 || y < 0 || x >= width || y >= height ? 255 : (pixels[y * width + x] ?? 255);
  let seed = 1;
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const sourceX = Math.floor(cos * (x - middleX) + sin * (y - middleY) + middleX);
      const sourceY = Math.floor(cos * (y - middleY) - sin * (x - middleX) + middleY);
      const blurred = noise === 0 ? pixelAt(sourceX, sourceY) : blur(pixelAt, sourceX, sourceY);
      seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
      const shift = (seed / 2 ** 32 - 0.5) * 2 * noise;
      spoilt[header.length + y * width + x] = Math.max(0, Math.min(255, blurred + shift));
    }
  }
  return spoilt;
}

/** The mean of a pixel and its right and lower neighbours. */
function blur(pixelAt: (x: number, y: number) => number, x: number, y: number): number {
  return (pixelAt(x, y) + pixelAt(x + 1, y) + pixelAt(x, y + 1) + pixelAt(x + 1, y + 1)) / 4;
}

function mean(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0) / Math.max(1, numbers.length);
}
