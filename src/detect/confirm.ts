/** The second look, at the whole body: text must stay text to its end, and containers list what they hold. */
import { faulty } from "./detect.ts";
import { type Evidence, gatherEvidence } from "./evidence.ts";
import { hasAt, latin1 } from "./formats/bytes.ts";
import type { Finding } from "./formats/format-match.ts";
import { nameOle, oleSignature, walkDirectory } from "./formats/ole.ts";
import { readZipTail } from "./formats/zip-tail.ts";
import { type Body, type Claims, type Detection, firstLookBytes } from "./kind.ts";
import { resolve } from "./resolve-kind.ts";
import { followText } from "./text/scan-text.ts";

/**
 * The kind of a body from all of its bytes, of which the first are read from it too. Content never makes it throw; a
 * body that cannot be read does. Where the beginning proves the kind, only the beginning is read.
 */
export async function confirmKind(body: Body, claims: Omit<Claims, "firstBytes">): Promise<Detection> {
  const reads = new Reads(body);
  try {
    const firstBytes = await reads.read(0, firstLookBytes);
    const first = gatherEvidence({ ...claims, firstBytes });
    const whole = await lookFurther(reads, first, firstBytes);
    return withChange(resolve(first), resolve(whole));
  } catch (error) {
    if (reads.failed) throw error;
    return faulty(error);
  }
}

async function lookFurther(body: Body, first: Evidence, firstBytes: Uint8Array): Promise<Evidence> {
  let evidence = first;
  for (const look of looks) {
    if (look.applies(evidence, firstBytes)) evidence = await look.further(body, evidence);
  }
  return evidence;
}

/** One kind of further reading; all that apply are done in order, each on what the one before found. */
type Look = {
  applies(evidence: Evidence, firstBytes: Uint8Array): boolean;
  further(body: Body, evidence: Evidence): Promise<Evidence>;
};

const zipDirectory: Look = {
  applies: ({ magic }, firstBytes) => magic !== null && hasAt(firstBytes, 0, "PK"),
  further: async (body, evidence) => withMagic(evidence, await readZipTail(body)),
};

const oleDirectory: Look = {
  applies: (_, firstBytes) => hasAt(firstBytes, 0, oleSignature),
  further: async (body, evidence) => {
    const walk = walkDirectory();
    let step = walk.next();
    while (step.done !== true) step = walk.next(await body.read(...step.value));
    return withMagic(evidence, nameOle(step.value));
  },
};

const textToTheEnd: Look = {
  applies: ({ magic, text }) => magic === null && text.isText,
  further: async (body, evidence) => {
    if (!evidence.text.isText) return evidence;
    const { text, notes } = await followText(body, evidence.text.charset);
    return { ...evidence, text, notes: [...evidence.notes, ...notes] };
  },
};

/** Formats that sign their end: archives behind a stub or junk, disk images, pictures with a footer. */
const signedEnd: Look = {
  applies: ({ magic, text }) => (magic === null && !text.isText) || magic?.mediaType === "application/zlib",
  further: async (body, evidence) => withMagic(evidence, (await readEnd(body)) ?? (await readZipTail(body))),
};

const looks: readonly Look[] = [zipDirectory, oleDirectory, textToTheEnd, signedEnd];

async function readEnd(body: Body): Promise<Finding | null> {
  const end = await body.read(Math.max(0, body.sizeBytes - 512), body.sizeBytes);
  if (hasAt(end, 0, "koly\0\0\0\x04")) return { mediaType: "application/x-apple-diskimage", generic: false };
  if (latin1(end, end.length - 18, end.length) === "TRUEVISION-XFILE.\0")
    return { mediaType: "image/x-tga", generic: false };
  return null;
}

function withMagic(evidence: Evidence, found: Finding | null): Evidence {
  return found === null ? evidence : { ...evidence, magic: found };
}

/** The record says when the whole body told another story than its beginning. */
function withChange(first: Detection, now: Detection): Detection {
  if (first.kind === now.kind) return now;
  const note = `The beginning looked like ${first.kind}, the whole body is ${now.kind}.`;
  return { ...now, signals: { ...now.signals, notes: [...now.signals.notes, note] } };
}

/** Remembers whether reading failed, so that a broken disk is not taken for strange content. */
class Reads implements Body {
  failed = false;
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
      this.failed = true;
      throw error;
    }
  }

  async *stream(): AsyncGenerator<Uint8Array> {
    try {
      yield* this.#body.stream();
    } catch (error) {
      this.failed = true;
      throw error;
    }
  }
}
