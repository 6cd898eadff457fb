/** The image handler: size and frames, and the text that an image carries beside its pixels. */
import { toBody } from "../../acquire/spooled-body.ts";
import type { ExtractItem, Handler, HandlerOptions, LocalFile } from "../handler.ts";
import { assertFileExists } from "../local-file.ts";
import { hintForOcr, type OcrFacts, toOcrFacts } from "../ocr/describe-ocr.ts";
import { text } from "../text-handler.ts";
import { toTextSegments } from "../text-segments.ts";
import type { ImageTexts } from "./image-header.ts";

export type ImageFacts = OcrFacts & {
  readonly width: number;
  readonly height: number;
  readonly frames: number;
  /** What came of recognising its text, where OCR is on. */
  readonly recognition: "off" | "text" | "none" | "failed";
  /** Set where it states its location, which is not shown. */
  readonly hidesLocation: true;
  /** Set where it states its location in a form that is not read. */
  readonly hasUnreadLocation: true;
};

const SVG = "image/svg+xml";

const mediaTypes: ReadonlySet<string> = new Set([
  "image/png",
  "image/apng",
  "image/jpeg",
  "image/gif",
  "image/webp",
  "image/bmp",
  "image/tiff",
  "image/heic",
  "image/heif",
  "image/avif",
  "image/jp2",
  "image/vnd.microsoft.icon",
  "image/vnd.adobe.photoshop",
]);

/** Photos as the sensor of a camera gives them; most are built like TIFF. */
const rawPhoto = /^image\/x-(adobe-dng|nikon-nef|sony-arw|pentax-pef|canon-cr2|raw)$/;

export const image: Handler<ImageFacts> = {
  name: "image",
  version: 4,
  runs: "inline",
  readsPictures: true,
  readsLocations: true,
  canHandle: (_kind, mediaType) => mediaTypes.has(mediaType) || rawPhoto.test(mediaType) || mediaType === SVG,

  async *extract(file, options, signal) {
    if (file.mediaType === SVG) return yield* extractSvg(file, options, signal);
    const { from, showsLocation = false } = options;
    await assertFileExists(file, signal);
    // Loaded here, because most sources are not images.
    const { readImage } = await import("./read-image.ts");
    const { notes, location, ...facts } = await readImage(toBody(file.content, file.sizeBytes));
    signal.throwIfAborted();
    const locationLines = showsLocation ? (location ?? []) : [];
    yield {
      info: {
        ...facts,
        ...toLocationFacts(location, showsLocation),
        ...(recognizableTypes.has(file.mediaType) && offFacts(options)),
      },
    };
    signal.throwIfAborted();
    const recognizedLines = yield* recognize(file, options, signal);
    if (recognizedLines === undefined) return;
    const lines = [...notes, ...locationLines, ...recognizedLines];
    if (lines.length === 0) return;
    for await (const item of toTextSegments(toLines(lines), { from, isMarkdown: false })) {
      signal.throwIfAborted();
      yield item;
    }
    signal.throwIfAborted();
  },

  describe: ({ width, height, frames = 1, ocr, recognition, hidesLocation = false, hasUnreadLocation = false }) => ({
    ...(width === undefined ? {} : { extent: `${width}x${height}` }),
    explainsMissingText: recognition !== undefined,
    warnings: [
      ...(frames > 1 ? [`It has ${frames} frames.`] : []),
      ...(hidesLocation
        ? ["It states where it was taken. That is left out unless the setting image.location is show."]
        : []),
      ...(hasUnreadLocation ? ["It states where it was taken, in a form that is not read."] : []),
      ...(recognition === undefined ? [] : describeRecognition(recognition, ocr)),
    ],
  }),
};

function toLocationFacts(location: ImageTexts["location"], isShown: boolean): Partial<ImageFacts> {
  if (location === undefined) return {};
  if (location.length === 0) return { hasUnreadLocation: true };
  return isShown ? {} : { hidesLocation: true };
}

function describeRecognition(recognition: ImageFacts["recognition"], ocr: ImageFacts["ocr"] | undefined): string[] {
  if (recognition === "off") return hintForOcr(ocr);
  if (recognition === "text")
    return ["Its text is OCR guesswork: it was recognised from the picture, so words and numbers may be wrong."];
  if (recognition === "none") return ["OCR found no text in it."];
  return ["OCR of it failed or took longer than the setting ocr.page_cpu allows."];
}

/** What the OCR engine can decode. */
const recognizableTypes: ReadonlySet<string> = new Set([
  "image/png",
  "image/apng",
  "image/jpeg",
  "image/gif",
  "image/webp",
  "image/bmp",
  "image/tiff",
]);

/** The facts while nothing is recognised. */
function offFacts({ ocr }: HandlerOptions): Partial<ImageFacts> {
  return { ...toOcrFacts(ocr), recognition: "off" };
}

/** The facts of OCR; returns the recognised lines, or undefined after a failure. */
async function* recognize(
  file: LocalFile,
  options: HandlerOptions,
  signal: AbortSignal,
): AsyncGenerator<ExtractItem<ImageFacts>, readonly string[] | undefined> {
  const { ocr } = options;
  if (ocr === undefined || "missingPackages" in ocr || !recognizableTypes.has(file.mediaType)) return [];
  yield { progress: "OCR of the image" };
  signal.throwIfAborted();
  const { createPageRecognizer, isPassingFailure } = await import("../ocr/recognize-page.ts");
  const recognition = await createPageRecognizer("ocr", file, { ...options, ocr }, signal).recognize(0);
  if ("failed" in recognition) {
    const isPassing = isPassingFailure(recognition.failed);
    yield isPassing ? recognition : { info: { recognition: "failed" } };
    return isPassing ? undefined : [];
  }
  yield { info: { recognition: recognition.text === "" ? "none" : "text" } };
  signal.throwIfAborted();
  return recognition.text === "" ? [] : recognition.text.split("\n");
}

/** The size and the words of a drawing; mode raw is its source. */
async function* extractSvg(
  file: LocalFile,
  options: HandlerOptions,
  signal: AbortSignal,
): AsyncGenerator<ExtractItem<ImageFacts>> {
  if (options.mode === "raw") return yield* text.extract(file, options, signal);
  const { readSvg } = await import("./read-svg.ts");
  for await (const item of readSvg(file, options, signal)) {
    signal.throwIfAborted();
    yield item;
  }
  signal.throwIfAborted();
}

async function* toLines(notes: readonly string[]): AsyncGenerator<string> {
  for (const note of notes) yield `${note}\n`;
}
