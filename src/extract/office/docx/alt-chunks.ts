/** Reads the parts that a document includes in another format: web pages, rich text and plain text. */
import { joinChunks } from "../../../acquire/chunks.ts";
import type { Zip } from "../../zip/open-zip.ts";
import { findTargets, type Relation } from "../package-parts.ts";

const MAX_CHUNKS = 50;
const MAX_CHUNK_BYTES = 1024 * 1024;

/** Each part as Markdown, in the order of the document's relations. A part in yet another format is named. */
export async function* readAltChunks(zip: Zip, relations: ReadonlyMap<string, Relation>): AsyncGenerator<string> {
  for (const target of findTargets(relations, "aFChunk").slice(0, MAX_CHUNKS)) {
    const member = zip.find(target);
    if (member === undefined) continue;
    const bytes = joinChunks(await Array.fromAsync(zip.read(member, { maxBytes: MAX_CHUNK_BYTES })));
    const text = (await writeChunk(bytes)).trim();
    if (text !== "") yield `\n${text}\n`;
  }
}

async function writeChunk(bytes: Buffer): Promise<string> {
  const start = bytes.subarray(0, 1_000).toString("latin1");
  if (/^\s*\{\\rtf/.test(start)) return writeRichText(bytes);
  if (/^(PK|MIME-Version:|From:)/i.test(start)) return "[included document that is not read]";
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
