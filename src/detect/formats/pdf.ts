/** Distinguishes a PDF from text about PDFs; readers accept the header anywhere in the first 1,024 bytes. */

import { decodeLatin1, hasAt, indexOf, u8 } from "../bytes.ts";
import { isProse } from "../text/detect-text.ts";

const HEADER_SEARCH_BYTES = 1024;
const pdfMarker = "%PDF-";

/** Whether a PDF begins here, or after junk and before objects; in text about PDFs the header is inside a line. */
export function isPdf(bytes: Uint8Array): boolean {
  if (hasAt(bytes, 0, pdfMarker)) return true;
  if (hasAt(bytes, 0, "%!PS-Adobe-")) return /^%!PS-Adobe-\d\.\d PDF-\d/.test(decodeLatin1(bytes, 0, 32));
  const offset = indexOf(bytes.subarray(0, HEADER_SEARCH_BYTES + pdfMarker.length), pdfMarker);
  if (offset <= 0) return false;
  if (isBlank(decodeLatin1(bytes, 0, offset))) return true;
  return hasObjects(bytes, offset) && (beginsLine(bytes, offset) || !isProse(bytes));
}

/** White space, NULs or a byte-order mark. */
const isBlank = (prefix: string): boolean => /^(\xef\xbb\xbf)?[\s\0]*$/.test(prefix);

function beginsLine(bytes: Uint8Array, offset: number): boolean {
  const previous = u8(bytes, offset - 1);
  return previous === 0x0a || previous === 0x0d || previous === 0 || previous >= 0x80;
}

/** Objects, a trailer or a cross-reference table at the start of a line, which prose about PDFs does not have. */
function hasObjects(bytes: Uint8Array, offset: number): boolean {
  return /[\r\n\0] {0,8}(\d{1,10}\s{1,3}\d{1,5}\s{1,3}obj\b|obj\s{0,4}<<|trailer\s{0,4}<<|xref\s)/.test(
    decodeLatin1(bytes, offset, offset + 8192),
  );
}
