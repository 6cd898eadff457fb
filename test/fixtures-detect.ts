/** Makes the files of test/fixtures/detect whose kind is easily mistaken: `node test/fixtures-detect.ts` writes them. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { fixturesFolder } from "./fixtures.ts";
import { makePdfWithPages } from "./pdf.ts";
import { bytesOf, encoded, joined, noise, oleOf, utf8, zipOf } from "./samples.ts";

const report = "The gauge at Eastmere was read every hour. Its highest level was 12.60 metres, on 9 January.\n";
const german =
  "Die Brücke über die Mühle wurde im März für größere Schiffe geöffnet. Das Gästehaus bleibt geschlossen.\n";
const japanese = "港の潮位は毎時記録される。最高水位は十二メートル六十センチであった。渡し船は土曜日に運航する。\n";
const chinese = "港口的水位每小时记录一次。最高水位为十二米六。渡船在星期六和星期日开行。\n";
const russian = "Паром отходит каждую субботу в десять часов утра. Билет стоит триста двадцать рублей.";
const page = `<!DOCTYPE html><html><head><title>Not found</title></head><body><h1>404</h1><p>${report}</p></body></html>\n`;

const utf16 = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, "utf16le"));
const swapped = (bytes: Uint8Array): Uint8Array => new Uint8Array(Buffer.from(bytes).swap16());

/** An ISO base media file: a brand, and a few boxes without content. */
function mp4Of(brand: string): Uint8Array {
  return joined(
    bytesOf(`\0\0\0\x18ftyp${brand}\0\0\0\0${brand}mp42`),
    bytesOf("\0\0\0\x08free\0\0\0\x08mdat"),
    noise(64),
  );
}

function tarOf(name: string, content: string): Uint8Array {
  const header = Buffer.alloc(512);
  header.write(name, 0, "latin1");
  header.write("0000644\0", 100, "latin1");
  header.write("0000000\0".repeat(2), 108, "latin1");
  header.write(`${content.length.toString(8).padStart(11, "0")}\0`, 124, "latin1");
  header.write("00000000000\0", 136, "latin1");
  header.write("        0", 148, "latin1");
  header.write("ustar\x0000", 257, "latin1");
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148, "latin1");
  const body = Buffer.alloc(Math.ceil(content.length / 512) * 512);
  body.write(content, "latin1");
  return joined(new Uint8Array(header), new Uint8Array(body), new Uint8Array(1024));
}

const docx = zipOf({
  "[Content_Types].xml":
    '<Types><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>',
  "word/document.xml": `<w:document><w:body><w:p><w:r><w:t>${report}</w:t></w:r></w:p></w:body></w:document>`,
});
const xlsx = zipOf({
  "[Content_Types].xml":
    '<Types><Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/></Types>',
  "xl/workbook.xml": "<workbook><sheets/></workbook>",
});

/** The bytes of every file by its name. The compressed ones may differ with the version of zlib. */
export const detectFiles: Readonly<Record<string, Uint8Array>> = {
  "report.txt": makePdfWithPages(["A report that is served as plain text."]),
  "not-found.pdf": utf8(page),
  "utf16le-without-bom.txt": utf16(report.repeat(3)),
  "utf16be-without-bom.csv": swapped(utf16("station,level\nAldmoor,2.41\nBrackwell,1.08\nDunmere,12.60\n".repeat(3))),
  "latin1.txt": bytesOf(german.repeat(2)),
  "shift-jis.txt": encoded(japanese.repeat(2), "shift_jis"),
  "gb18030.txt": encoded(chinese.repeat(2), "gb18030"),
  "windows-1251.html": joined(
    utf8('<html><head><meta charset="windows-1251"><title>'),
    encoded("Паром", "windows-1251"),
    utf8("</title></head><body><p>"),
    encoded(russian, "windows-1251"),
    utf8("</p></body></html>\n"),
  ),
  "stray-control.log": utf8(`${report}level=2.41 station=Aldmoor \x01 retry\n${report.repeat(4)}`),
  "feed.xml": utf8(
    `<?xml version="1.0" encoding="UTF-8"?>\n<rss version="2.0"><channel><title>Levels</title><item><title>Eastmere</title><description>${report}</description></item></channel></rss>\n`,
  ),
  "vnd-api.json": utf8('{"data": {"type": "gauges", "id": "7", "attributes": {"name": "Eastmere", "level": 12.6}}}\n'),
  "bom.json": joined(bytesOf("\xef\xbb\xbf"), utf8('{"station": "Aldmoor", "level": 2.41}\n')),
  "drawing.svg": utf8(
    '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="20"><rect width="40" height="20" fill="#246"/></svg>\n',
  ),
  letter: docx,
  "table.zip": xlsx,
  "self-extracting.bin": joined(utf8(`#!/bin/sh\n# ${report}exec unzip "$0"\n`), noise(64), zipOf({ "a.txt": report })),
  "member.jar": zipOf({ "META-INF/MANIFEST.MF": "Manifest-Version: 1.0\n", "Lamp.class": "\xca\xfe\xba\xbe" }),
  "book.epub": zipOf({
    mimetype: "application/epub+zip",
    "META-INF/container.xml": "<container/>",
    "chapter.xhtml": "<html><body>One</body></html>",
  }),
  "bmw-report.txt": utf8(`BMW annual report\n\n${report.repeat(3)}`),
  "junk-before-header.pdf": joined(
    utf8("HTTP/1.0 200 OK\r\nX-Scanner: 7\r\n\r\n"),
    makePdfWithPages(["Behind some junk."]),
  ),
  "notes.txt": new Uint8Array(gzipSync(report.repeat(4))),
  "nuls.csv": utf8("station,level,note\nAldmoor,2.41,\0\0\0\0\nBrackwell,1.08,\0\0\0\0\nDunmere,12.60,\0\0\0\0\n"),
  "empty.html": new Uint8Array(),
  "one-byte": utf8("A"),
  "readme.md": joined(
    bytesOf("\x7fELF\x02\x01\x01\0"),
    new Uint8Array(8),
    bytesOf("\x02\0\x3e\0\x01\0\0\0"),
    noise(96),
  ),
  "data.json": joined(bytesOf("SQLite format 3\0\x10\0\x01\x01\0\x40\x20\x20"), new Uint8Array(76), noise(64)),
  "heading.woff2": joined(bytesOf("wOF2\0\x01\0\0\0\0\0\x60\0\x0a\0\0"), noise(80)),
  "body.ttf": joined(bytesOf("\0\x01\0\0\0\x04\0\x40\0\x02\0\0cmap"), noise(12), bytesOf("glyf"), noise(64)),
  "bell.wav": joined(
    bytesOf("RIFF\x54\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0\x40\x1f\0\0\x80\x3e\0\0\x02\0\x10\0data"),
    noise(48),
  ),
  "clip.mp4": mp4Of("isom"),
  "photo.mp4": mp4Of("heic"),
  "song.mp4": mp4Of("M4A "),
  "old-letter.bin": oleOf(["WordDocument", "1Table"]),
  "old-sheet.doc": oleOf(["Workbook"]),
  "message.dat": oleOf(["__properties_version1.0", "__nameid_version1.0"]),
  "thumbs.db": oleOf(["Catalog"]),
  "photo.jpg": joined(bytesOf("\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x06\0\0\0"), noise(40)),
  "snapshot.webp": joined(bytesOf("RIFF\x3c\0\0\0WEBPVP8L\x2f\0\0\0\x2f"), noise(48)),
  backup: tarOf("notes/level.txt", report),
  "badges.md": utf8(
    `<div align="center">\n<img src="logo.png" alt="heron">\n</div>\n\n# heron\n\nA small static file server. ${report}\n\`\`\`sh\nheron ./public\n\`\`\`\n`,
  ),
  "cut-in-character.txt": joined(utf8(german.repeat(2)), bytesOf("Gr\xc3")),
  "encoded.txt": utf8(`${Buffer.from(noise(600)).toString("base64").replace(/.{76}/g, "$&\n")}\n`),
  "letter.rtf": bytesOf(`{\\rtf1\\ansi\\deff0{\\fonttbl{\\f0 Times;}}\\f0\\fs24 ${report}}`),
};

if (import.meta.main) {
  for (const [name, bytes] of Object.entries(detectFiles)) writeFileSync(join(fixturesFolder, "detect", name), bytes);
}
