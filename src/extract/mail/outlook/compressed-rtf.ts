/** Decompresses the RTF of Outlook messages. https://learn.microsoft.com/openspecs/exchange_server_protocols/ms-oxrtfcp */
import { u8, u16be, u32le } from "../../../detect/bytes.ts";

/** Words that messages share; references may lead into them from the start. */
const START =
  "{\\rtf1\\ansi\\mac\\deff0\\deftab720{\\fonttbl;}{\\f0\\fnil \\froman \\fswiss \\fmodern \\fscript \\fdecor " +
  "MS Sans SerifSymbolArialTimes New RomanCourier{\\colortbl\\red0\\green0\\blue0\r\n\\par \\pard\\plain\\f0\\fs20\\b\\i\\u\\tab\\tx";

const HEADER_BYTES = 16;
const UNCOMPRESSED = 0x414c454d;
const WINDOW_BYTES = 4_096;

/** The RTF in these bytes, at most so many. Damage ends it early. */
export function decompressRtf(bytes: Uint8Array, maxBytes: number): Uint8Array {
  if (u32le(bytes, 8) === UNCOMPRESSED) return bytes.subarray(HEADER_BYTES, HEADER_BYTES + maxBytes);
  const output: number[] = [];
  const window = new Uint8Array(WINDOW_BYTES);
  window.set(Buffer.from(START, "latin1"));
  let written = START.length;
  const put = (byte: number): void => {
    window[written++ % WINDOW_BYTES] = byte;
    output.push(byte);
  };
  for (let at = HEADER_BYTES; at < bytes.length && output.length < maxBytes; ) {
    const control = u8(bytes, at++);
    for (let bit = 0; bit < 8 && at < bytes.length; bit++) {
      if ((control & (1 << bit)) === 0) {
        put(u8(bytes, at++));
        continue;
      }
      const reference = u16be(bytes, at);
      at += 2;
      const offset = reference >> 4;
      // A reference to the place that is written next marks the end.
      if (offset === written % WINDOW_BYTES) return Uint8Array.from(output);
      const length = (reference & 0xf) + 2;
      for (let index = 0; index < length; index++) put(u8(window, (offset + index) % WINDOW_BYTES));
    }
  }
  return Uint8Array.from(output);
}
