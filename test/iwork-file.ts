/** Writes small documents as Apple's programs store them: messages in protocol buffers, in Snappy blocks, in a ZIP. */
import { makeZip, type ZipPart } from "./zip.ts";

/** Types of messages. */
export const [STORAGE, LIST, OTHER] = [2001, 6005, 1];

export type IwaMessage = { readonly type: number; readonly message: Buffer };

/** A package with these files, by their names in the folder `Index`. */
export function makeIwork(
  files: Readonly<Record<string, readonly IwaMessage[]>>,
  more: readonly ZipPart[] = [],
): Buffer {
  const parts = Object.entries(files).map(([name, messages]) => ({
    name: `Index/${name}.iwa`,
    data: makeIwa(messages),
  }));
  return makeZip([...parts, { name: "Metadata/BuildVersionHistory.plist", data: "<plist/>" }, ...more]);
}

/** A text, as a body or a shape stores it. */
export const makeStorage = (text: string): IwaMessage => ({ type: STORAGE, message: field(3, Buffer.from(text)) });

/** The strings of the cells of a table. */
export const makeList = (strings: readonly string[]): IwaMessage => ({
  type: LIST,
  message: Buffer.concat(
    strings.map((text) => field(3, Buffer.concat([varintField(1, 7), field(3, Buffer.from(text))]))),
  ),
});

export function makeIwa(messages: readonly IwaMessage[]): Buffer {
  const archives = messages.map(({ type, message }) => {
    const info = Buffer.concat([varintField(1, type), varintField(3, message.length)]);
    const header = Buffer.concat([varintField(1, 9), field(2, info)]);
    return Buffer.concat([varint(header.length), header, message]);
  });
  return frame(packLiteral(Buffer.concat(archives)));
}

/** One block, after its length. */
export const frame = (packed: Buffer): Buffer =>
  Buffer.concat([Buffer.from([0, packed.length & 255, (packed.length >> 8) & 255, packed.length >> 16]), packed]);

/** A Snappy block without copies. */
function packLiteral(bytes: Buffer): Buffer {
  const size = Buffer.alloc(3);
  size.writeUIntLE(bytes.length - 1, 0, 3);
  return Buffer.concat([varint(bytes.length), Buffer.from([62 << 2]), size, bytes]);
}

const field = (number: number, bytes: Buffer): Buffer =>
  Buffer.concat([varint(number * 8 + 2), varint(bytes.length), bytes]);
const varintField = (number: number, value: number): Buffer => Buffer.concat([varint(number * 8), varint(value)]);

export function varint(value: number): Buffer {
  const bytes: number[] = [];
  for (let rest = value; ; rest = Math.floor(rest / 128)) {
    if (rest < 128) return Buffer.from([...bytes, rest]);
    bytes.push((rest % 128) + 128);
  }
}
