/** The second look, at the whole body: text must be text to its end, and containers list their members. */

import { decodeLatin1, hasAt } from "./bytes.ts";
import { makeFailedDetection } from "./detect.ts";
import { type Evidence, gatherEvidence } from "./evidence.ts";
import type { FormatMatch } from "./formats/format-match.ts";
import { identifyOle, oleSignature, walkDirectory } from "./formats/ole.ts";
import { readZipTail } from "./formats/zip-tail.ts";
import { type Body, type Claims, type Detection, FIRST_LOOK_BYTES } from "./kind.ts";
import { resolveKind } from "./resolve-kind.ts";
import { scanText } from "./text/scan-text.ts";

/**
 * The kind of a body from all of its bytes, the first ones included. It throws only if the body cannot be read, never
 * because of its content. Where the beginning proves the kind, only the beginning is read.
 */
export async function confirmKind(body: Body, claims: Omit<Claims, "firstBytes">): Promise<Detection> {
  const reads = new TrackedBody(body);
  try {
    const firstBytes = await reads.read(0, FIRST_LOOK_BYTES);
    const first = gatherEvidence({ ...claims, firstBytes });
    const wholeEvidence = await takeSecondLooks(reads, first, firstBytes);
    return noteChange(resolveKind(first), resolveKind(wholeEvidence));
  } catch (error) {
    if (reads.hasFailed) throw error;
    return makeFailedDetection(error);
  }
}

async function takeSecondLooks(body: Body, first: Evidence, firstBytes: Uint8Array): Promise<Evidence> {
  let evidence = first;
  for (const look of secondLooks) {
    if (look.applies(evidence, firstBytes)) evidence = await look.lookFurther(body, evidence);
  }
  return evidence;
}

/** One further check of the body; all that apply run in order, each on the evidence of the one before. */
type SecondLook = {
  applies(evidence: Evidence, firstBytes: Uint8Array): boolean;
  lookFurther(body: Body, evidence: Evidence): Promise<Evidence>;
};

const zipDirectoryLook: SecondLook = {
  applies: ({ magic }, firstBytes) => magic !== null && hasAt(firstBytes, 0, "PK"),
  lookFurther: async (body, evidence) => replaceMagic(evidence, await readZipTail(body)),
};

const oleDirectoryLook: SecondLook = {
  applies: (_, firstBytes) => hasAt(firstBytes, 0, oleSignature),
  lookFurther: async (body, evidence) => {
    const walk = walkDirectory();
    let step = walk.next();
    while (step.done !== true) step = walk.next(await body.read(...step.value));
    return replaceMagic(evidence, identifyOle(step.value));
  },
};

const wholeTextLook: SecondLook = {
  applies: ({ magic, text }) => magic === null && text.isText,
  lookFurther: async (body, evidence) => {
    if (!evidence.text.isText) return evidence;
    const { text, notes } = await scanText(body, evidence.text.charset, evidence.declaredCharset);
    return { ...evidence, text, notes: [...evidence.notes, ...notes] };
  },
};

/** Formats with a signature at their end: archives behind a stub or junk, disk images, images with a footer. */
const signedEndLook: SecondLook = {
  applies: ({ magic, text }) => (magic === null && !text.isText) || magic?.mediaType === "application/zlib",
  lookFurther: async (body, evidence) =>
    replaceMagic(evidence, (await matchSignedEnd(body)) ?? (await readZipTail(body))),
};

const secondLooks: readonly SecondLook[] = [zipDirectoryLook, oleDirectoryLook, wholeTextLook, signedEndLook];

async function matchSignedEnd(body: Body): Promise<FormatMatch | null> {
  const end = await body.read(Math.max(0, body.sizeBytes - 512), body.sizeBytes);
  if (hasAt(end, 0, "koly\0\0\0\x04")) return { mediaType: "application/x-apple-diskimage", isGeneric: false };
  if (decodeLatin1(end, end.length - 18, end.length) === "TRUEVISION-XFILE.\0")
    return { mediaType: "image/x-tga", isGeneric: false };
  return null;
}

function replaceMagic(evidence: Evidence, match: FormatMatch | null): Evidence {
  return match === null ? evidence : { ...evidence, magic: match };
}

/** Adds a note where the whole body is of another kind than its beginning. */
function noteChange(first: Detection, second: Detection): Detection {
  if (first.kind === second.kind) return second;
  const note = `The beginning looked like ${first.kind}, the whole body is ${second.kind}.`;
  return { ...second, signals: { ...second.signals, notes: [...second.signals.notes, note] } };
}

/** Remembers whether a read failed, so that a broken disk is not mistaken for strange content. */
class TrackedBody implements Body {
  hasFailed = false;
  readonly sizeBytes: number;
  readonly #body: Body;

  constructor(body: Body) {
    this.#body = body;
    this.sizeBytes = body.sizeBytes;
  }

  async read(start: number, end: number): Promise<Uint8Array> {
    try {
      return await this.#body.read(start, end);
    } catch (error) {
      this.hasFailed = true;
      throw error;
    }
  }

  async *stream(options?: { readonly inPlace?: boolean }): AsyncGenerator<Uint8Array> {
    try {
      yield* this.#body.stream(options);
    } catch (error) {
      this.hasFailed = true;
      throw error;
    }
  }
}
