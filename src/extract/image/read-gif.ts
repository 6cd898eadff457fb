/** Counts the frames of a GIF and reads its comments. */
import { decodeLatin1, u8, u16le } from "../../detect/bytes.ts";
import type { Body } from "../../detect/kind.ts";
import type { ImageHeader } from "./image-header.ts";

/** Longer animations are counted as far as this. */
const MAX_BYTES = 32 * 1024 * 1024;
const MAX_COMMENTS = 10;
const MAX_COMMENT_CHARS = 1_000;

const [EXTENSION, IMAGE, COMMENT] = [0x21, 0x2c, 0xfe];

export async function readGif(body: Body): Promise<ImageHeader> {
  const bytes = await body.read(0, Math.min(body.sizeBytes, MAX_BYTES));
  const notes: string[] = [];
  let frames = 0;
  let at = 13 + countColorBytes(u8(bytes, 10));
  while (at < bytes.length) {
    const type = u8(bytes, at);
    if (type === IMAGE) {
      frames++;
      at = skipBlocks(bytes, at + 11 + countColorBytes(u8(bytes, at + 9)));
    } else if (type === EXTENSION) {
      const end = skipBlocks(bytes, at + 2);
      const isComment = u8(bytes, at + 1) === COMMENT && notes.length < MAX_COMMENTS;
      if (isComment) notes.push(`Comment: ${readComment(bytes, at + 2, end)}`);
      at = end;
    } else break;
  }
  return { width: u16le(bytes, 6), height: u16le(bytes, 8), frames: Math.max(1, frames), notes };
}

/** A table of colours is there if the highest bit is set. */
const countColorBytes = (flags: number): number => ((flags & 0x80) === 0 ? 0 : 3 * 2 ** ((flags & 7) + 1));

/** Blocks with their length before them; one of no length ends them. */
function skipBlocks(bytes: Uint8Array, start: number): number {
  let at = start;
  while (at < bytes.length && u8(bytes, at) !== 0) at += 1 + u8(bytes, at);
  return at + 1;
}

function readComment(bytes: Uint8Array, start: number, end: number): string {
  let text = "";
  for (let at = start; at < end - 1 && text.length < MAX_COMMENT_CHARS; at += 1 + u8(bytes, at))
    text += decodeLatin1(bytes, at + 1, at + 1 + u8(bytes, at));
  return text.replaceAll(/\s+/g, " ").trim();
}
