/** Reads what a document includes: web pages, rich text, plain text, and other Word documents. */
import { joinChunks } from "../../../acquire/chunks.ts";
import { toBody } from "../../../acquire/spooled-body.ts";
import { FailureError } from "../../failure-error.ts";
import { XmlLimitError } from "../../xml/scan-xml.ts";
import type { Zip } from "../../zip/open-zip.ts";
import { openPackage, type SharedLimit } from "../open-package.ts";
import { findTargets, type Relation } from "../package-parts.ts";

const MAX_CHUNKS = 50;
const MAX_CHUNK_BYTES = 1024 * 1024;
const MAX_PACKAGE_BYTES = 8 * 1024 * 1024;

/** Where a document is inside of others, and what all of them may expand to. */
export type Inclusions = {
  /** How many documents this one is inside of. */
  readonly depth: number;
  /** Begins the labels of its notes, such as `2.1.` in the first one that the second included one includes. */
  readonly notePrefix: string;
  readonly limit: SharedLimit;
};

/** The limits of a document that is in no other. */
export const startInclusions = (): Inclusions => ({
  depth: 0,
  notePrefix: "",
  limit: { maxTotalBytes: 24 * 1024 * 1024, readTotal: { bytes: 0 } },
});

const MAX_DEPTH = 3;

/** Writes a document that is open as a package. */
type WriteDocument = (zip: Zip, inclusions: Inclusions) => AsyncIterable<string>;

const UNREAD = "[included document that is not read]";
const REST_UNREAD = "[the rest of the included document is not read]";

/** Each part as Markdown, in the order of the document's relations. A part in yet another format is named. */
export async function* readAltChunks(
  zip: Zip,
  relations: ReadonlyMap<string, Relation>,
  inclusions: Inclusions,
  writeDocument: WriteDocument,
): AsyncGenerator<string> {
  for (const [index, target] of findTargets(relations, "aFChunk").slice(0, MAX_CHUNKS).entries()) {
    const member = zip.find(target);
    if (member === undefined) continue;
    const maxBytes = /\.(docx|docm|dotx|dotm)$/i.test(target) ? MAX_PACKAGE_BYTES : MAX_CHUNK_BYTES;
    const bytes = joinChunks(await Array.fromAsync(zip.read(member, { maxBytes })));
    yield "\n";
    const { depth, notePrefix, limit } = inclusions;
    const inner: Inclusions = { depth: depth + 1, notePrefix: `${notePrefix}${index + 1}.`, limit };
    if (bytes.subarray(0, 2).toString("latin1") === "PK") yield* writePackage(bytes, inner, writeDocument);
    else yield `${(await writeChunk(bytes)).trim()}\n`;
  }
}

/** A Word document as far as it can be read, and a note where that is not to its end. */
async function* writePackage(
  bytes: Buffer,
  inclusions: Inclusions,
  writeDocument: WriteDocument,
): AsyncGenerator<string> {
  const { depth, limit } = inclusions;
  if (depth > MAX_DEPTH || limit.readTotal.bytes >= limit.maxTotalBytes) return yield `${UNREAD}\n`;
  let hasText = false;
  try {
    const zip = await openPackage(toBody({ bytes }, bytes.length), limit);
    for await (const text of writeDocument(zip, inclusions)) {
      hasText ||= text.trim() !== "";
      yield text;
    }
    if (zip.isComplete && zip.cutMembers.size === 0) return;
  } catch (error) {
    if (!(error instanceof FailureError || error instanceof XmlLimitError)) throw error;
  }
  yield `\n\n${hasText ? REST_UNREAD : UNREAD}\n`;
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
