/** Reads title, author and date from the summary that old office files carry. */
import { u32le } from "../../detect/bytes.ts";
import type { CompoundFile } from "../compound-file/open-compound-file.ts";
import type { DocumentFacts } from "../handler.ts";
import { findCharset } from "../rtf/rtf-charsets.ts";

const MAX_SUMMARY_BYTES = 256 * 1024;
const CODE_PAGE = 1;
const TITLE = 2;
const AUTHOR = 4;
const CREATED = 12;

/** What the summary states; nothing if there is none. */
export async function readSummary(compound: CompoundFile): Promise<DocumentFacts> {
  const stream = compound.find("\u0005SummaryInformation");
  if (stream === undefined) return {};
  const bytes = await compound.read(stream, 0, MAX_SUMMARY_BYTES);
  const section = u32le(bytes, 44);
  const places = new Map<number, number>();
  for (let index = 0; index < Math.min(u32le(bytes, section + 4), 100); index++) {
    const row = section + 8 + index * 8;
    places.set(u32le(bytes, row), section + u32le(bytes, row + 4));
  }
  const codePage = u32le(bytes, (places.get(CODE_PAGE) ?? -4) + 4) & 0xffff;
  const [title, author] = [TITLE, AUTHOR].map((id) => readText(bytes, places.get(id), codePage));
  const date = readTime(bytes, places.get(CREATED));
  return { ...(title && { title }), ...(author && { author }), ...(date && { date }) };
}

const UTF_16 = 1200;

function readText(bytes: Uint8Array, at: number | undefined, codePage: number): string {
  if (at === undefined) return "";
  const text = bytes.subarray(at + 8, at + 8 + Math.min(u32le(bytes, at + 4), 4_096));
  const decoder = new TextDecoder(codePage === UTF_16 ? "utf-16le" : findCharset(codePage));
  return decoder.decode(text).replace(/\0.*$/s, "").trim();
}

/** Windows counts steps of 100 nanoseconds since 1601. */
export function readTime(bytes: Uint8Array, at: number | undefined, valueAt = 4): string {
  if (at === undefined) return "";
  const steps = u32le(bytes, at + valueAt) + u32le(bytes, at + valueAt + 4) * 2 ** 32;
  const ms = steps / 10_000 - 11_644_473_600_000;
  return ms > 0 && ms < 8.64e15 ? new Date(ms).toISOString() : "";
}
