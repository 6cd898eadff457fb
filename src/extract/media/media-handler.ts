/** The media handler: what audio, video, fonts and programs state in their headers. They have no text. */
import { toBody } from "../../acquire/spooled-body.ts";
import type { Handler } from "../handler.ts";
import { assertFileExists } from "../local-file.ts";

/** How much there is of it, such as `1920x1080, 0:12`, and facts such as `Format: WAV`. */
export type MediaFacts = { readonly extent: string; readonly facts: readonly string[] };

const programs =
  /^application\/(x-elf|vnd\.microsoft\.portable-executable|x-mach-binary|x-mach-o|wasm|java-vm|vnd\.android\.dex)$/;

export const media: Handler<MediaFacts> = {
  name: "media",
  version: 1,
  runs: "inline",
  canHandle: (kind, mediaType) =>
    kind === "unknown_binary" && (/^(audio|video|font)\//.test(mediaType) || programs.test(mediaType)),

  async *extract(file, _options, signal) {
    await assertFileExists(file, signal);
    // Loaded here, because most sources are none of these.
    const { readFileFacts } = await import("./read-file-facts.ts");
    const { words, ...facts } = await readFileFacts(toBody(file.content, file.sizeBytes), file.mediaType);
    signal.throwIfAborted();
    yield { info: { ...facts, ...words } };
  },

  describe: ({ extent = "", facts = [] }) => ({
    ...(extent === "" ? {} : { extent }),
    ...(facts.length === 0 ? {} : { warnings: [`${facts.join(". ")}.`] }),
  }),
};
