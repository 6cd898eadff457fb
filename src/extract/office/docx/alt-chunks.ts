/** Reads what a document includes: web pages, rich text, plain text, and other Word documents. */
import { joinChunks } from "../../../acquire/chunks.ts";
import { toBody } from "../../../acquire/spooled-body.ts";
import { FailureError } from "../../failure-error.ts";
import { XmlLimitError } from "../../xml/scan-xml.ts";
import type { Zip } from "../../zip/open-zip.ts";
import { openPackage } from "../open-package.ts";
import { findTargets, type Relation } from "../package-parts.ts";

const MAX_CHUNKS = 50;
const MAX_CHUNK_BYTES = 1024 * 1024;
const MAX_PACKAGE_BYTES = 8 * 1024 * 1024;

/** What a document may include, documents inside documents together. */
export type Inclusions = {
  /** How many documents this one is inside of. */
  readonly depth: number;
  /** Bytes that all of them may expand to. */
  readonly left: { bytes: number };
};

/** The limits of a document that is in no other. */
export const startInclusions = (): Inclusions => ({ depth: 0, left: { bytes: 24 * 1024 * 1024 } });

const MAX_DEPTH = 3;

/** Writes a document that is open as a package. */
type WriteDocument = (zip: Zip, inclusions: Inclusions) => AsyncIterable<string>;

const UNREAD = "[included document that is not read]";

/** Each part as Markdown, in the order of the document's relations. A part in yet another format is named. */
export async function* readAltChunks(
  zip: Zip,
  relations: ReadonlyMap<string, Relation>,
  inclusions: Inclusions,
  writeDocument: WriteDocument,
): AsyncGenerator<string> {
  for (const target of findTargets(relations, "aFChunk").slice(0, MAX_CHUNKS)) {
    const member = zip.find(target);
    if (member === undefined) continue;
    const maxBytes = /\.(docx|docm|dotx|dotm)$/i.test(target) ? MAX_PACKAGE_BYTES : MAX_CHUNK_BYTES;
    const bytes = joinChunks(await Array.fromAsync(zip.read(member, { maxBytes })));
    yield "\n";
    if (bytes.subarray(0, 2).toString("latin1") === "PK") yield* writePackage(bytes, inclusions, writeDocument);
    else yield `${(await writeChunk(bytes)).trim()}\n`;
  }
}

/** A Word document as far as it can be read, and a note where that is not to its end. */
async function* writePackage(
  bytes: Buffer,
  { depth, left }: Inclusions,
  writeDocument: WriteDocument,
): AsyncGenerator<string> {
  if (depth >= MAX_DEPTH || left.bytes <= 0) return yield `${UNREAD}\n`;
  try {
    const zip = await openPackage(toBody({ bytes }, bytes.length), left.bytes);
    try {
      yield* writeDocument(zip, { depth: depth + 1, left });
    } finally {
      left.bytes -= zip.readBytes;
    }
  } catch (error) {
    if (!(error instanceof FailureError || error instanceof XmlLimitError)) throw error;
    yield `\n\n${UNREAD}\n`;
  }
}

async function writeChunk(bytes: Buffer): Promise<string> {
  const start = bytes.subarray(0, 1_000).toString("latin1");
  if (/^\s*\{\\rtf/.test(start)) return writeRichText(bytes);
  if (/^(MIME-Version:|From:)/i.test(start)) return UNREAD;
  const source = new TextDecoder(start.startsWith("\xff\xfe") ? "utf-16le" : "utf-8").decode(bytes);
  if (!/<(!doctype|html|body|p|div|table|h\d)\b/i.test(source.slice(0, 5_000))) return source;
  const { writeWholePage } = await import("../../html/page.ts");
  return writeWholePage(source, { mode: "markdown" }).text;
}

async function writeRichText(bytes: Buffer): Promise<string> {
  const { RtfText } = await import("../../rtf/rtf-text.ts");
  const text = new RtfText();
  text.write(bytes.toString("latin1"));
  return text.blocks.take() + text.end();
}
