/** Reads the characters of a story, piece by piece. */
import type { Piece, Story, WordFile } from "./open-doc.ts";

/** Characters in a row with the place of the first one. */
export type TextRun = {
  readonly text: string;
  /** The position of the first character. */
  readonly start: number;
  /** The offset of its bytes, and how many each character has. */
  readonly at: number;
  readonly charBytes: 1 | 2;
};

const RUN_CHARS = 64 * 1024;

/** The runs of a story in order. Bytes are read as Windows-1252, which is what single bytes mean in this format. */
export async function* readText(word: WordFile, { start, end }: Story): AsyncGenerator<TextRun> {
  for (const piece of word.pieces) {
    const [first, last] = [Math.max(start, piece.start), Math.min(end, piece.end)];
    for (let position = first; position < last; position += RUN_CHARS) {
      const run = await readRun(word, piece, position, Math.min(position + RUN_CHARS, last));
      if (run.text === "") break;
      yield run;
    }
  }
}

async function readRun(word: WordFile, piece: Piece, start: number, end: number): Promise<TextRun> {
  const charBytes = piece.isWide ? 2 : 1;
  const at = piece.at + (start - piece.start) * charBytes;
  const bytes = await word.read(at, at + (end - start) * charBytes);
  return { text: new TextDecoder(piece.isWide ? "utf-16le" : "windows-1252").decode(bytes), start, at, charBytes };
}
