/** Finds the texts in one file of a document of Apple's programs: messages in protocol buffers, packed with Snappy. */
import { isUtf8 } from "node:buffer";
import { u8 } from "../../detect/bytes.ts";
import { readVarint, unpackSnappy } from "./snappy.ts";

/** Types of messages, as the programs number them: texts, and the lists of values that the cells of tables refer to. */
const STORAGE_TYPES: ReadonlySet<number> = new Set([2001, 2005]);
const LIST_TYPE = 6005;

/** A file of more is read up to here. */
const MAX_FILE_BYTES = 32 * 1024 * 1024;
const MAX_BLOCK_BYTES = 1024 * 1024;

/** The texts of a file in the order in which they are stored. */
export function* findStoredTexts(packed: Uint8Array): Generator<string> {
  const bytes = unpackBlocks(packed);
  for (const { type, message } of readMessages(bytes)) {
    if (STORAGE_TYPES.has(type)) yield* readStrings(message, 3);
    // Of several kinds of lists only those of strings have strings.
    else if (type === LIST_TYPE) for (const entry of readBytes(message, 3)) yield* readStrings(entry, 3);
  }
}

/** Blocks follow each other, each after a byte of zero and its length. */
function unpackBlocks(packed: Uint8Array): Uint8Array {
  const blocks: Uint8Array[] = [];
  let total = 0;
  for (let at = 0; at + 4 <= packed.length && u8(packed, at) === 0 && total < MAX_FILE_BYTES; ) {
    const length = u8(packed, at + 1) | (u8(packed, at + 2) << 8) | (u8(packed, at + 3) << 16);
    const block = unpackSnappy(packed.subarray(at + 4, at + 4 + length), MAX_BLOCK_BYTES);
    blocks.push(block);
    total += block.length;
    at += 4 + length;
  }
  return Buffer.concat(blocks);
}

type Message = { readonly type: number; readonly message: Uint8Array };

/** A header says which messages follow it, and how long they are. */
function* readMessages(bytes: Uint8Array): Generator<Message> {
  for (let at = 0; at < bytes.length; ) {
    const { value: headerBytes, end } = readVarint(bytes, at);
    const header = bytes.subarray(end, end + headerBytes);
    at = end + headerBytes;
    for (const info of readBytes(header, 2)) {
      const [type, length] = [readNumber(info, 1), readNumber(info, 3)];
      yield { type, message: bytes.subarray(at, at + length) };
      at += length;
    }
  }
}

type Field = { readonly number: number; readonly value: number | Uint8Array };

/** The fields of a message, as far as they can be read. */
function* readFields(message: Uint8Array): Generator<Field> {
  for (let at = 0; at < message.length; ) {
    const { value: tag, end } = readVarint(message, at);
    const [number, wire] = [Math.floor(tag / 8), tag % 8];
    if (wire === 0) {
      const { value, end: next } = readVarint(message, end);
      yield { number, value };
      at = next;
    } else if (wire === 2) {
      const { value: length, end: start } = readVarint(message, end);
      yield { number, value: message.subarray(start, start + length) };
      at = start + length;
    } else if (wire === 1 || wire === 5) at = end + (wire === 1 ? 8 : 4);
    else return;
  }
}

function* readBytes(message: Uint8Array, wanted: number): Generator<Uint8Array> {
  for (const { number, value } of readFields(message)) if (number === wanted && typeof value !== "number") yield value;
}

function readNumber(message: Uint8Array, wanted: number): number {
  for (const { number, value } of readFields(message)) if (number === wanted && typeof value === "number") return value;
  return 0;
}

/** Bytes that are not text are other messages. */
function* readStrings(message: Uint8Array, wanted: number): Generator<string> {
  for (const bytes of readBytes(message, wanted)) if (isUtf8(bytes)) yield utf8.decode(bytes);
}

const utf8 = new TextDecoder();
