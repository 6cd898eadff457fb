/** Finds the objects of a PDF by reading it from start to end, for files whose cross-reference table is lost. */
import { constants, inflateSync } from "node:zlib";
import {
  type Dictionary,
  isArray,
  isDictionary,
  nameIn,
  numberIn,
  type PdfValue,
  parseValue,
  skipSpace,
} from "./syntax.ts";

/** An object in the file, or one that was unpacked from a compressed stream. */
export type FoundObject = {
  readonly place: PlaceInFile | { readonly body: Buffer };
  /** `Page`, `Catalog`; undefined for objects that do not say. */
  readonly type?: string | undefined;
  /** The version that it replaced. */
  readonly older?: FoundObject | undefined;
};

/** Where the header of an object begins, and where its value. */
type PlaceInFile = { readonly offset: number; readonly generation: number; readonly valueOffset: number };

export type FoundObjects = {
  /** By number, in the order of the file. Of several with one number the last is the newest. */
  readonly objects: ReadonlyMap<number, FoundObject>;
  /** Entries of all trailers, the newest of each. */
  readonly trailer: Dictionary;
};

/** Larger numbers are not real (ISO 32000-1, Annex C). */
const MAX_OBJECT_NUMBER = 8_388_607;
/** Bound the memory for a hostile file. */
const MAX_OBJECTS = 500_000;
const MAX_UNPACKED_BYTES = 64 * 1024 * 1024;

/** Reads every object that is there; the last one may be cut off. What streams contain is skipped. */
export function findObjects(bytes: Buffer): FoundObjects {
  const objects = new Map<number, FoundObject>();
  const trailer = new Map(findTrailers(bytes));
  let [count, leftBytes] = [0, MAX_UNPACKED_BYTES];
  const add = (number: number, object: FoundObject) => objects.set(number, { ...object, older: objects.get(number) });
  for (const { number, generation, offset, end: valueOffset, value, data } of readObjects(bytes)) {
    if (++count > MAX_OBJECTS) break;
    const type = findType(value);
    add(number, { place: { offset, generation, valueOffset }, type });
    if (!isDictionary(value) || data === undefined) continue;
    if (type === "XRef") for (const [key, entry] of value) trailer.set(key, entry);
    // What an encrypted stream holds cannot be read here.
    if (type !== "ObjStm" || trailer.has("Encrypt")) continue;
    for (const [packedNumber, body] of unpackObjects(value, data, leftBytes)) {
      leftBytes -= body.length;
      add(packedNumber, { place: { body }, type: findType(parseValue(body, 0)?.value) });
    }
  }
  return { objects, trailer };
}

/** The dictionary of an object that was found in these bytes. It is not stored, because there may be very many. */
export function readDictionary(bytes: Buffer, { place }: FoundObject): Dictionary | undefined {
  const value = "body" in place ? parseValue(place.body, 0)?.value : parseValue(bytes, place.valueOffset)?.value;
  return isDictionary(value) ? value : undefined;
}

function findType(value: PdfValue | undefined): string | undefined {
  return isDictionary(value) ? nameIn(value, "Type") : undefined;
}

type ReadObject = Header & ReadValue;
/** A value, and the data of a stream. */
type ReadValue = { readonly value: PdfValue; readonly data?: Buffer };

function* readObjects(bytes: Buffer): Generator<ReadObject> {
  for (let header = findHeader(bytes, 0); header !== undefined; ) {
    const next = findHeader(bytes, header.end);
    const limit = next?.offset ?? bytes.length;
    // A value ends before the next header, so that values that never end do not make this quadratic.
    const object = readObject(bytes, header.end, limit);
    if (object !== undefined) yield { ...header, ...object };
    const dataEnd = object?.data === undefined ? 0 : object.data.byteOffset - bytes.byteOffset + object.data.length;
    header = dataEnd > limit ? findHeader(bytes, dataEnd) : next;
  }
}

type Header = { readonly number: number; readonly generation: number; readonly offset: number; readonly end: number };

/** The longest `12345678 00000 obj` with usual white space. */
const MAX_HEADER_CHARS = 32;

/** The next `12 0 obj`. */
function findHeader(bytes: Buffer, start: number): Header | undefined {
  for (let at = bytes.indexOf("obj", start); at !== -1; at = bytes.indexOf("obj", at + 3)) {
    const before = bytes.toString("latin1", Math.max(start, at - MAX_HEADER_CHARS), at);
    const [written = "", number, generation] = /(?<![\d.])(\d{1,10})[\s\0]+(\d{1,5})[\s\0]+$/.exec(before) ?? [];
    if (Number(number) > 0 && Number(number) <= MAX_OBJECT_NUMBER) {
      return { number: Number(number), generation: Number(generation), offset: at - written.length, end: at + 3 };
    }
  }
  return undefined;
}

/** The value between these offsets; the data of a stream may go on behind the second. */
function readObject(bytes: Buffer, start: number, limit: number): ReadValue | undefined {
  const parsed = parseValue(bytes.subarray(0, limit), start);
  if (parsed === undefined) return undefined;
  const { value, end } = parsed;
  const keyword = skipSpace(bytes, end);
  if (!isDictionary(value) || bytes.toString("latin1", keyword, keyword + 6) !== "stream") return { value };
  const dataStart = skipLineEnd(bytes, keyword + 6);
  return { value, data: bytes.subarray(dataStart, findStreamEnd(bytes, dataStart, numberIn(value, "Length"))) };
}

function skipLineEnd(bytes: Buffer, at: number): number {
  if (bytes[at] === 0x0d) return at + (bytes[at + 1] === 0x0a ? 2 : 1);
  return bytes[at] === 0x0a ? at + 1 : at;
}

/** Its length is believed only where the keyword follows. A stream that is cut off ends with the file. */
function findStreamEnd(bytes: Buffer, start: number, length: number | undefined): number {
  if (length !== undefined) {
    const keyword = skipSpace(bytes, start + length);
    if (bytes.toString("latin1", keyword, keyword + 9) === "endstream") return start + length;
  }
  const end = bytes.indexOf("endstream", start);
  return end === -1 ? bytes.length : end;
}

/** The objects of a compressed stream (ISO 32000-1, 7.5.7), also of one whose end is missing. */
function unpackObjects(dictionary: Dictionary, data: Buffer, maxBytes: number): [number, Buffer][] {
  const first = numberIn(dictionary, "First");
  const unpacked = first === undefined ? undefined : inflate(dictionary, data, maxBytes);
  if (first === undefined || unpacked === undefined) return [];
  const head = unpacked
    .toString("latin1", 0, first)
    .trim()
    .split(/[\s\0]+/)
    .map(Number);
  const numbers = head.filter((_, index) => index % 2 === 0);
  const starts = head.filter((_, index) => index % 2 === 1).map((offset) => first + offset);
  return numbers.flatMap((number, index): [number, Buffer][] => {
    const [start, end = unpacked.length] = [starts[index], starts[index + 1]];
    const isWhole = start !== undefined && start < end && end <= unpacked.length;
    return isWhole && number > 0 && number <= MAX_OBJECT_NUMBER ? [[number, unpacked.subarray(start, end)]] : [];
  });
}

/** Undefined for filters that are not used for objects, and for too much data. */
function inflate(dictionary: Dictionary, data: Buffer, maxBytes: number): Buffer | undefined {
  const filter = dictionary.get("Filter");
  // A copy, because the memory of the file may move.
  if (filter === undefined) return data.length > maxBytes ? undefined : Buffer.from(data);
  const only = isArray(filter) ? filter[0] : filter;
  if (only === undefined || !("name" in only) || only.name !== "FlateDecode") return undefined;
  try {
    // Data that is cut off is unpacked as far as it goes.
    return inflateSync(data, { finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength: Math.max(1, maxBytes) });
  } catch {
    // Its objects are lost; others may be there.
    return undefined;
  }
}

function* findTrailers(bytes: Buffer): Generator<[string, PdfValue]> {
  for (let at = bytes.indexOf("trailer"); at !== -1; ) {
    const next = bytes.indexOf("trailer", at + 7);
    const value = parseValue(bytes.subarray(0, next === -1 ? bytes.length : next), at + 7)?.value;
    if (isDictionary(value)) yield* value;
    at = next;
  }
}
