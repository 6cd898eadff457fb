/** Tells a PDF from text that talks about one; readers accept the header anywhere in the first 1,024 bytes. */
import { isProse } from "../text/detect-text.ts";
import { hasAt, indexOf, latin1, u8 } from "./bytes.ts";

const HEADER_SEARCH_BYTES = 1024;
const pdfMarker = "%PDF-";

/** Whether a PDF begins here, or after junk with objects following; text about a PDF may hold both, but inside a line. */
export function isPdf(bytes: Uint8Array): boolean {
  if (hasAt(bytes, 0, pdfMarker)) return true;
  if (hasAt(bytes, 0, "%!PS-Adobe-")) return /^%!PS-Adobe-\d\.\d PDF-\d/.test(latin1(bytes, 0, 32));
  const at = indexOf(bytes.subarray(0, HEADER_SEARCH_BYTES + pdfMarker.length), pdfMarker);
  if (at <= 0) return false;
  if (isBlank(latin1(bytes, 0, at))) return true;
  return hasObjects(bytes, at) && (beginsLine(bytes, at) || !isProse(bytes));
}

/** White space, NULs or a byte-order mark. */
const isBlank = (before: string): boolean => /^(\xef\xbb\xbf)?[\s\0]*$/.test(before);

function beginsLine(bytes: Uint8Array, at: number): boolean {
  const before = u8(bytes, at - 1);
  return before === 0x0a || before === 0x0d || before === 0 || before >= 0x80;
}

/** Objects, a trailer or a cross-reference table: prose that mentions a header has none on lines of its own. */
function hasObjects(bytes: Uint8Array, at: number): boolean {
  return /[\r\n\0] {0,8}(\d{1,10}\s{1,3}\d{1,5}\s{1,3}obj\b|obj\s{0,4}<<|trailer\s{0,4}<<|xref\s)/.test(
    latin1(bytes, at, at + 8192),
  );
}
