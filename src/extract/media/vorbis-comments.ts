/** Reads the comments of Vorbis, Opus and FLAC: `TITLE=...`, each with its length before it. */
import { u32le } from "../../detect/bytes.ts";
import { type FileWords, toWords } from "./file-facts.ts";

const names: Readonly<Record<string, keyof FileWords>> = { TITLE: "title", ARTIST: "author", DATE: "date" };

const MAX_COMMENTS = 200;

/** The comments that begin at an offset with the name of the program. */
export function readVorbisComments(bytes: Uint8Array, offset: number): FileWords {
  const tags: Partial<Record<keyof FileWords, string>> = {};
  let at = offset + 4 + u32le(bytes, offset);
  const count = Math.min(u32le(bytes, at), MAX_COMMENTS);
  at += 4;
  for (let index = 0; index < count && at < bytes.length; index++) {
    const length = u32le(bytes, at);
    const [key = "", ...value] = new TextDecoder().decode(bytes.subarray(at + 4, at + 4 + length)).split("=");
    const name = names[key.toUpperCase()];
    if (name !== undefined) tags[name] = value.join("=");
    at += 4 + length;
  }
  return toWords(tags);
}
