/** Reads documents of Pages, Numbers and Keynote in a child process: the texts that they store, or else their files. */
import { gunzipSync } from "node:zlib";
import { joinChunks } from "../../acquire/chunks.ts";
import { toBody } from "../../acquire/spooled-body.ts";
import { listArchive } from "../archive/list-archive.ts";
import { FailureError } from "../failure-error.ts";
import type { Engine } from "../pool/child-loop.ts";
import { toTextSegments } from "../text-segments.ts";
import { makeXmlDecoder } from "../xml/decode-xml.ts";
import { scanXml, XmlLimitError } from "../xml/scan-xml.ts";
import { openZip, type Zip, type ZipMember } from "../zip/open-zip.ts";
import { OldTexts, SLIDE } from "./old-texts.ts";
import { findStoredTexts } from "./stored-texts.ts";

const bounds = { maxRatio: 250, maxTotalBytes: 64 * 1024 * 1024, maxMembers: 20_000 };
const MAX_MEMBER_BYTES = 16 * 1024 * 1024;
const PREVIEW = /^(QuickLook\/)?preview\.(pdf|jpe?g)$/i;

export const iworkEngine: Engine = {
  async *extract(file, options) {
    const { signal } = new AbortController();
    if (options.entry !== undefined) throw new Error("Members are opened by the archive engine");
    const zip = await openOrUndefined(toBody(file.content, file.sizeBytes));
    const texts = zip === undefined ? [] : await Array.fromAsync(readTexts(zip));
    if (zip === undefined || texts.length === 0) return yield* listArchive(file, options, signal);
    const preview = zip.members.find(({ name }) => PREVIEW.test(name))?.name;
    const info = { entryCount: zip.members.length, isApplePackage: true, hasStoredText: true };
    yield { info: preview === undefined ? info : { ...info, previewPath: preview } };
    yield* toTextSegments(writeTexts(texts), { from: options.from, isMarkdown: true });
  },
};

async function openOrUndefined(body: ReturnType<typeof toBody>): Promise<Zip | undefined> {
  try {
    return await openZip(body, bounds);
  } catch (error) {
    if (error instanceof FailureError) return undefined; // The listing says why.
    throw error;
  }
}

async function* writeTexts(texts: readonly string[]): AsyncGenerator<string> {
  let slides = 0;
  for (const text of texts) yield text === SLIDE ? `## Slide ${++slides}\n\n` : `${text}\n\n`;
}

async function* readTexts(zip: Zip): AsyncGenerator<string> {
  const old = zip.find("index.apxl") ?? zip.find("index.apxl.gz") ?? zip.find("index.xml") ?? zip.find("index.xml.gz");
  try {
    if (old) return yield* readOldTexts(await readMember(zip, old));
    for (const member of listTextMembers(zip)) yield* readMemberTexts(zip, member);
  } catch (error) {
    // What was found so far is the text.
    if (!(error instanceof FailureError || error instanceof XmlLimitError)) throw error;
  }
}

function readOldTexts(bytes: Buffer): string[] {
  const unpacked = bytes[0] === 0x1f ? gunzipSync(bytes, { maxOutputLength: MAX_MEMBER_BYTES }) : bytes;
  const texts = new OldTexts();
  const scanner = scanXml(texts);
  for (const text of makeXmlDecoder(unpacked)(unpacked)) scanner.write(text);
  scanner.end();
  return texts.take();
}

/** The document, slides by number, then the texts of cells. Templates and styles have sample texts only. */
function listTextMembers({ members }: Zip): ZipMember[] {
  const found = members.filter(({ name }) => /^Index\/(Document|Slide(-\d+)*|Tables\/DataList.*)\.iwa$/.test(name));
  return found.toSorted((one, other) => rank(one) - rank(other));
}

/** `Slide.iwa` comes before `Slide-1.iwa`. */
function rank({ name }: ZipMember): number {
  const number = Number(/-(\d+)/.exec(name)?.[1] ?? 0);
  return /\/Document/.test(name) ? -1 : /\/Slide/.test(name) ? number : number + 1e9;
}

async function* readMemberTexts(zip: Zip, member: ZipMember): AsyncGenerator<string> {
  if (/\/Slide/.test(member.name)) yield SLIDE;
  for (const text of findStoredTexts(await readMember(zip, member))) {
    // A character that is not a letter is in place of each picture and note.
    const clean = text
      .replaceAll("\ufffc", "")
      .replaceAll("\u2028", "\n")
      .replaceAll(/\n{3,}/g, "\n\n")
      .trim();
    if (clean !== "") yield clean;
  }
}

async function readMember(zip: Zip, member: ZipMember): Promise<Buffer> {
  return joinChunks(await Array.fromAsync(zip.read(member, { maxBytes: MAX_MEMBER_BYTES })));
}
