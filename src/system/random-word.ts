/** Words that cannot be guessed. */
import { randomBytes } from "node:crypto";

const letters = "abcdefghijkmnpqrstuvwxyz23456789";
const WORD_CHARS = 8;

/** A word of 8 letters and digits with 40 random bits. */
export function makeRandomWord(): string {
  return Array.from(randomBytes(WORD_CHARS), (byte) => letters[byte % letters.length]).join("");
}
