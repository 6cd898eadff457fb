/** The image handler: size and frames, and the text that an image carries beside its pixels. */
import { toBody } from "../../acquire/spooled-body.ts";
import type { Handler } from "../handler.ts";
import { assertFileExists } from "../local-file.ts";
import { toTextSegments } from "../text-segments.ts";

export type ImageFacts = { readonly width: number; readonly height: number; readonly frames: number };

const mediaTypes: ReadonlySet<string> = new Set([
  "image/png",
  "image/apng",
  "image/jpeg",
  "image/gif",
  "image/webp",
  "image/bmp",
]);

export const image: Handler<ImageFacts> = {
  name: "image",
  version: 1,
  runs: "inline",
  canHandle: (_kind, mediaType) => mediaTypes.has(mediaType),

  async *extract(file, { from }, signal) {
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

async function* toLines(notes: readonly string[]): AsyncGenerator<string> {
  for (const note of notes) yield `${note}\n`;
}
