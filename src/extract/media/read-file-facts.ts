/** Chooses the reader of a file by its first bytes. A file that its reader cannot understand has no facts. */
import { hasAt, u32be } from "../../detect/bytes.ts";
import type { Body } from "../../detect/kind.ts";
import { readAhead } from "../read-ahead.ts";
import { type FileFacts, noFacts } from "./file-facts.ts";
import { readAiff, readFlac, readWav } from "./read-audio.ts";
import { readFont } from "./read-font.ts";
import { readMp3 } from "./read-mp3.ts";
import { readMp4 } from "./read-mp4.ts";
import { readOgg } from "./read-ogg.ts";
import { readElf, readJavaClass, readMachO, readPortableExecutable, readWasm } from "./read-program.ts";
import { readAvi, readMatroska } from "./read-video.ts";

type Reader = (body: Body, start: Uint8Array) => Promise<FileFacts>;

const FIRST_BYTES = 4_096;

export async function readFileFacts(source: Body, mediaType: string): Promise<FileFacts> {
  const body = readAhead(source);
  const start = await body.read(0, FIRST_BYTES);
  return (await findReader(start, mediaType)?.(body, start)) ?? noFacts;
}

function findReader(start: Uint8Array, mediaType: string): Reader | undefined {
  if (hasAt(start, 0, "RIFF") && hasAt(start, 8, "WAVE")) return readWav;
  if (hasAt(start, 0, "RIFF") && hasAt(start, 8, "AVI ")) return readAvi;
  if (hasAt(start, 0, "FORM") && hasAt(start, 8, "AIF")) return readAiff;
  if (hasAt(start, 0, "fLaC")) return readFlac;
  if (hasAt(start, 0, "OggS")) return readOgg;
  if (hasAt(start, 4, "ftyp") || hasAt(start, 4, "moov") || hasAt(start, 4, "mdat")) return readMp4;
  if (hasAt(start, 0, "\x1aE\xdf\xa3")) return readMatroska;
  if (hasAt(start, 0, "\x7fELF")) return readElf;
  if (hasAt(start, 0, "MZ")) return readPortableExecutable;
  if (hasAt(start, 0, "\0asm")) return readWasm;
  if (mediaType === "application/java-vm") return readJavaClass;
  if (machMagics.has(u32be(start, 0)) && !mediaType.startsWith("font/")) return readMachO;
  if (mediaType.startsWith("font/")) return readFont;
  return mediaType === "audio/mpeg" ? readMp3 : undefined;
}

const machMagics: ReadonlySet<number> = new Set([0xfeedface, 0xfeedfacf, 0xcefaedfe, 0xcffaedfe, 0xcafebabe]);
