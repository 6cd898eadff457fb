/** The image handler: size and frames, and the text that an image carries beside its pixels. */
import { toBody } from "../../acquire/spooled-body.ts";
import type { ExtractItem, Handler, HandlerOptions, LocalFile } from "../handler.ts";
import { assertFileExists } from "../local-file.ts";
import { text } from "../text-handler.ts";
import { toTextSegments } from "../text-segments.ts";

export type ImageFacts = { readonly width: number; readonly height: number; readonly frames: number };

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
  version: 2,
  runs: "inline",
  canHandle: (_kind, mediaType) => mediaTypes.has(mediaType) || rawPhoto.test(mediaType) || mediaType === SVG,

  async *extract(file, options, signal) {
    if (file.mediaType === SVG) return yield* extractSvg(file, options, signal);
    const { from } = options;
    await assertFileExists(file, signal);
    // Loaded here, because most sources are not images.
    const { readImage } = await import("./read-image.ts");
    const { notes, ...facts } = await readImage(toBody(file.content, file.sizeBytes));
    signal.throwIfAborted();
    yield { info: facts };
    if (notes.length === 0) return;
    for await (const item of toTextSegments(toLines(notes), { from, isMarkdown: false })) {
      signal.throwIfAborted();
      yield item;
    }
    signal.throwIfAborted();
  },

  describe: ({ width, height, frames = 1 }) => ({
    ...(width === undefined ? {} : { extent: `${width}x${height}` }),
    ...(frames > 1 ? { warnings: [`It has ${frames} frames.`] } : {}),
  }),
};

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
