/** Builds small bodies for the tests: archives, compound files, and text in charsets that nothing writes any more. */
import { deflateRawSync } from "node:zlib";
import { codePages, decodeCodePage } from "../src/detect/text/code-pages.ts";

/** One character per byte. */
export const bytesOf = (characters: string): Uint8Array => new Uint8Array(Buffer.from(characters, "latin1"));

/** Text as bytes. */
export const utf8 = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, "utf8"));

/** One body of several. */
export const joined = (...parts: readonly Uint8Array[]): Uint8Array => new Uint8Array(Buffer.concat(parts));

/** The same bytes on every run, with every value in them. */
export function noise(sizeBytes: number, seed = 1): Uint8Array {
  let state = seed;
  return Uint8Array.from({ length: sizeBytes }, () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return state >>> 24;
  });
}

/** A ZIP of these members, with its directory; `mimetype` is stored, the rest deflated. */
export function zipOf(members: Readonly<Record<string, string>>): Uint8Array {
  const locals: Uint8Array[] = [];
  const entries: Uint8Array[] = [];
  let at = 0;
  for (const [name, content] of Object.entries(members)) {
    const method = name === "mimetype" ? 0 : 8;
    const data = method === 0 ? utf8(content) : new Uint8Array(deflateRawSync(content));
    const fields = [
      u16(20),
      u16(0),
      u16(method),
      u32(0),
      u32(0),
      u32(data.length),
      u32(content.length),
      u16(name.length),
      u16(0),
    ];
    const local = joined(bytesOf("PK\x03\x04"), ...fields, utf8(name), data);
    entries.push(
      joined(bytesOf("PK\x01\x02"), u16(20), ...fields, u16(0), u16(0), u16(0), u32(0), u32(at), utf8(name)),
    );
    locals.push(local);
    at += local.length;
  }
  const directory = joined(...entries);
  const end = [u16(0), u16(0), u16(entries.length), u16(entries.length), u32(directory.length), u32(at), u16(0)];
  return joined(...locals, directory, bytesOf("PK\x05\x06"), ...end);
}

/** A compound file whose directory holds these names; `padSectors` puts it far behind the header. */
export function oleOf(names: readonly string[], padSectors = 0): Uint8Array {
  const directorySector = padSectors + 1;
  const header = joined(bytesOf("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"), new Uint8Array(504));
  const view = new DataView(header.buffer);
  view.setUint16(30, 9, true);
  view.setUint32(48, directorySector, true);
  for (let i = 0; i < 109; i++) view.setUint32(76 + i * 4, i === 0 ? 0 : 0xffffffff, true);
  const table = new Uint8Array(512).fill(0xff);
  const directory = joined(...["Root Entry", ...names].slice(0, 4).map(oleEntry));
  return joined(header, table, new Uint8Array(padSectors * 512), directory, new Uint8Array(512 - directory.length));
}

function oleEntry(name: string): Uint8Array {
  const entry = new Uint8Array(128);
  entry.set(Buffer.from(name, "utf16le"));
  entry[64] = name.length * 2 + 2;
  entry[66] = 2;
  return entry;
}

const u16 = (value: number): Uint8Array => Uint8Array.of(value & 255, value >> 8);
const u32 = (value: number): Uint8Array => joined(u16(value & 0xffff), u16(value >>> 16));

/** Text in a charset that TextDecoder or a code page reads and nothing writes. */
export function encoded(text: string, charset: string): Uint8Array {
  const codes = codesOf(charset);
  return Uint8Array.from([...text].flatMap((character) => codes.get(character) ?? [0x3f]));
}

const codebooks = new Map<string, Map<string, readonly number[]>>();

function codesOf(charset: string): Map<string, readonly number[]> {
  const known = codebooks.get(charset);
  if (known !== undefined) return known;
  const codes = new Map<string, readonly number[]>();
  const page = codePages.get(charset);
  const decoder = page === undefined ? new TextDecoder(charset) : null;
  for (const code of candidates()) {
    const bytes = Uint8Array.from(code);
    const character = decoder?.decode(bytes) ?? decodeCodePage(bytes, page ?? "");
    if ([...character].length === 1 && character !== "\ufffd" && !codes.has(character)) codes.set(character, code);
  }
  codebooks.set(charset, codes);
  return codes;
}

function* candidates(): Generator<readonly number[]> {
  for (let first = 0; first < 256; first++) yield [first];
  for (let first = 0x81; first < 0xff; first++) for (let second = 0x40; second < 0xff; second++) yield [first, second];
}
