/** Small PDF files made by hand: a list of objects, written with a table of where each begins. */

/** A PDF with one line of text on each page. */
export function pdfWithPages(texts: readonly string[]): Buffer {
  const kids = texts.map((_, i) => `${4 + 2 * i} 0 R`).join(" ");
  const pages = texts.flatMap((text, i) => [
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents ${5 + 2 * i} 0 R /Resources << /Font << /F 3 0 R >> >> >>`,
    stream(text === "" ? "" : `BT /F 12 Tf 72 700 Td (${escaped(text)}) Tj ET`),
  ]);
  return pdfOf([
    "<< /Type /Catalog /Pages 2 0 R >>",
    `<< /Type /Pages /Kids [${kids}] /Count ${texts.length} >>`,
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
    ...pages,
  ]);
}

/** A file of these objects, numbered from 1; the first is the catalog. */
export function pdfOf(objects: readonly string[]): Buffer {
  let body = "%PDF-1.7\n";
  const offsets = objects.map((object, i) => {
    const at = body.length;
    body += `${i + 1} 0 obj\n${object}\nendobj\n`;
    return at;
  });
  const rows = offsets.map((at) => `${String(at).padStart(10, "0")} 00000 n \n`).join("");
  const table = `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${rows}`;
  const trailer = `trailer << /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${body.length}\n%%EOF\n`;
  return Buffer.from(body + table + trailer, "latin1");
}

export const stream = (content: string): string => `<< /Length ${content.length} >>\nstream\n${content}\nendstream`;

const escaped = (text: string): string => text.replace(/[\\()]/g, "\\$&");
