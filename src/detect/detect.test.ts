import assert from "node:assert/strict";
import { test } from "node:test";
import { bytesOf, encoded, joined, noise, oleOf, utf8, zipOf } from "../../test/samples.ts";
import { detectContentKind } from "./detect.ts";
import type { Claims, ContentKind, Detection } from "./kind.ts";

const pdf = bytesOf("%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj\n<< /Type /Catalog >>\nendobj\n");
const page = utf8("<!DOCTYPE html><html><head><title>Sign in</title></head><body><form></form></body></html>");
const drawing = utf8('<?xml version="1.0"?>\n<svg xmlns="http://www.w3.org/2000/svg"><text>label</text></svg>');
const docx = zipOf({
  "[Content_Types].xml": '<Types><Override ContentType="application/x.wordprocessingml.document.main+xml"/></Types>',
  "word/document.xml": "<w:document/>",
});

function detect(firstBytes: Uint8Array, type?: string, url?: string): Detection {
  const claims: Claims = {
    firstBytes,
    ...(type === undefined ? {} : { headers: { "Content-Type": type } }),
    ...(url === undefined ? {} : { url }),
  };
  return detectContentKind(claims);
}

type Case = { name: string; bytes: Uint8Array; type?: string; url?: string; kind: ContentKind; mediaType?: string };

const promises: readonly Case[] = [
  { name: "PDF bytes labelled text/plain", bytes: pdf, type: "text/plain", kind: "pdf" },
  { name: "PDF bytes labelled text/html", bytes: pdf, type: "text/html; charset=utf-8", kind: "pdf" },
  { name: "PDF bytes labelled octet-stream", bytes: pdf, type: "application/octet-stream", kind: "pdf" },
  { name: "a PDF behind 900 bytes of junk lines", bytes: joined(utf8("%junk\n".repeat(150)), pdf), kind: "pdf" },
  { name: "a PDF behind a byte-order mark", bytes: joined(bytesOf("\xef\xbb\xbf"), pdf), kind: "pdf" },
  {
    name: "prose that mentions %PDF-",
    bytes: utf8("A PDF file starts with\n%PDF-1.7\nand then objects.\n"),
    kind: "text",
  },
  {
    name: "a login page labelled application/pdf",
    bytes: page,
    type: "application/pdf",
    kind: "html",
    mediaType: "text/html",
  },
  { name: "RSS", bytes: utf8("<rss version='2.0'><channel/></rss>"), type: "application/rss+xml", kind: "text" },
  {
    name: "JSON:API",
    bytes: utf8('{"data":[]}'),
    type: "application/vnd.api+json",
    kind: "text",
    mediaType: "application/vnd.api+json",
  },
  { name: "prose that begins like a bitmap", bytes: utf8("BMW annual report\nRevenue rose.\n"), kind: "text" },
  {
    name: "French that begins like a picture",
    bytes: encoded("GIF89a a été créé en 1989, déjà.\n", "windows-1252"),
    kind: "text",
  },
  {
    name: "a docx without extension",
    bytes: docx,
    kind: "office_doc",
    mediaType: "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
  },
  { name: "an SVG drawing", bytes: drawing, kind: "image", mediaType: "image/svg+xml" },
  { name: "an SVG drawing labelled text/plain", bytes: drawing, type: "text/plain", kind: "image" },
  { name: "plain text without any claim", bytes: utf8("Just a few words."), kind: "text", mediaType: "text/plain" },
  { name: "nothing at all", bytes: new Uint8Array(0), kind: "text" },
  { name: "a single NUL", bytes: bytesOf("\0"), kind: "unknown_binary" },
  { name: "a single 0xFF", bytes: bytesOf("\xff"), kind: "unknown_binary" },
  { name: "noise labelled text/plain", bytes: noise(400), type: "text/plain", url: "a.txt", kind: "unknown_binary" },
  { name: "noise labelled text/html", bytes: noise(400), type: "text/html", url: "a.html", kind: "unknown_binary" },
  { name: "noise named .pdf", bytes: noise(400), url: "a.pdf", kind: "unknown_binary" },
  { name: "HTML source labelled text/plain", bytes: page, type: "text/plain", kind: "text" },
  {
    name: "JSON labelled text/html",
    bytes: utf8('{"error": "<b>no</b>"}'),
    type: "text/html",
    kind: "text",
    mediaType: "application/json",
  },
  { name: "text without tags labelled text/html", bytes: utf8("not found\n"), type: "text/html", kind: "text" },
  { name: "a page labelled application/json", bytes: page, type: "application/json", kind: "html" },
  {
    name: "XHTML labelled application/xml",
    bytes: utf8('<html xmlns="http://www.w3.org/1999/xhtml"/>'),
    type: "application/xml",
    kind: "text",
  },
  {
    name: "XHTML",
    bytes: utf8('<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"/>'),
    kind: "html",
    mediaType: "application/xhtml+xml",
  },
  {
    name: "Markdown that begins with a tag",
    bytes: utf8("<div>\n\n# Title\n"),
    url: "README.md",
    kind: "text",
    mediaType: "text/markdown",
  },
  { name: "rich text", bytes: utf8("{\\rtf1\\ansi hello}"), type: "text/plain", kind: "office_doc" },
  { name: "a WordPerfect document", bytes: bytesOf("\xffWPC\x10\0\0\0\x01\x0a"), kind: "office_doc" },
  { name: "an encrypted workbook", bytes: oleOf(["EncryptionInfo", "EncryptedPackage"]), kind: "office_doc" },
  {
    name: "an installer",
    bytes: oleOf(["\u4840\u3f7f\u4164"]),
    kind: "unknown_binary",
    mediaType: "application/x-msi",
  },
  {
    name: "a mail message of Outlook",
    bytes: oleOf(["__properties_version1.0"]),
    kind: "office_doc",
    mediaType: "application/vnd.ms-outlook",
  },
  {
    name: "an e-book",
    bytes: zipOf({ mimetype: "application/epub+zip" }),
    kind: "office_doc",
    mediaType: "application/epub+zip",
  },
  {
    name: "a zip of documents",
    bytes: zipOf({ "a.docx": "x", "word/notes.txt": "y" }),
    kind: "archive",
    mediaType: "application/zip",
  },
  {
    name: "a Java archive",
    bytes: zipOf({ "META-INF/MANIFEST.MF": "Manifest-Version: 1.0" }),
    kind: "archive",
    mediaType: "application/java-archive",
  },
  {
    name: "a NuGet package",
    bytes: zipOf({ "_rels/.rels": "<Relationships/>", "a.nuspec": "<package/>" }),
    kind: "archive",
  },
  {
    name: "a zip that the header calls docx",
    bytes: zipOf({ "custom.bin": "x" }),
    type: "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    kind: "office_doc",
  },
  {
    name: "brotli by its name",
    bytes: bytesOf("\x1b\xff\x27\0\xe6\x54\xb6\xba\x62\xc3"),
    url: "a.tar.br",
    kind: "archive",
  },
  {
    name: "an MP3",
    bytes: bytesOf("ID3\x03\0\0\0\0\0\x05TIT2\0\0\0\x05"),
    type: "text/plain",
    kind: "unknown_binary",
    mediaType: "audio/mpeg",
  },
  {
    name: "a video",
    bytes: bytesOf("\0\0\0\x1cftypisom\0\0\x02\0isom"),
    kind: "unknown_binary",
    mediaType: "video/mp4",
  },
  { name: "a photo in the same container", bytes: bytesOf("\0\0\0\x18ftypmif1\0\0\0\0mif1heic"), kind: "image" },
  {
    name: "a font",
    bytes: bytesOf("wOF2\0\x01\0\0\0\0\x52\xb8\0\x12"),
    kind: "unknown_binary",
    mediaType: "font/woff2",
  },
  {
    name: "a program",
    bytes: bytesOf("\x7fELF\x02\x01\x01\0"),
    kind: "unknown_binary",
    mediaType: "application/x-elf",
  },
  {
    name: "a database",
    bytes: bytesOf("SQLite format 3\0\x10\0"),
    kind: "unknown_binary",
    mediaType: "application/vnd.sqlite3",
  },
  { name: "a terminal log", bytes: utf8("\x1b[32mok\x1b[0m done\n"), kind: "text" },
  { name: "a FIX log", bytes: utf8("8=FIX.4.4\x019=65\x0135=A\x0149=SENDER\x0156=TARGET\x01"), kind: "text" },
  { name: "names from find -print0", bytes: utf8("./src/a.ts\0./src/long name.ts\0./test/b.ts\0"), kind: "text" },
  {
    name: "strings that begin with their length",
    bytes: utf8("\0\x14dolor sit amet magna\0\x14elit tempor aliquam a"),
    kind: "unknown_binary",
  },
  { name: "a log that ends in NULs", bytes: utf8(`INFO started\n${"\0".repeat(500)}`), kind: "text" },
  {
    name: "a crash report with one NUL",
    bytes: utf8(`${"line of a log\n".repeat(40)}\0${"line of a log\n".repeat(40)}`),
    kind: "text",
  },
  {
    name: "numbers of 16 bits",
    bytes: new Uint8Array(Uint16Array.from({ length: 900 }, (_, i) => 65 + i).buffer),
    kind: "unknown_binary",
  },
  {
    name: "a bright picture without header",
    bytes: Uint8Array.from({ length: 900 }, (_, i) => 0xb8 + 8 * Math.sin(i / 9)),
    kind: "unknown_binary",
  },
  { name: "one byte over and over", bytes: new Uint8Array(400).fill(0xe9), kind: "unknown_binary" },
  {
    name: "text with its high bits set",
    bytes: utf8("elit aliqua ad minim veniam\n".repeat(8)).map((byte) => byte | 0x80),
    kind: "unknown_binary",
  },
];

for (const { name, bytes, type, url, kind, mediaType } of promises) {
  test(`${name} is ${kind}`, () => {
    const detection = detect(bytes, type, url);
    assert.equal(detection.kind, kind, JSON.stringify(detection));
    if (mediaType !== undefined) assert.equal(detection.mediaType, mediaType);
    if (kind !== "text" && kind !== "html" && detection.mediaType !== "image/svg+xml")
      assert.equal(detection.charset, null);
  });
}

test("a wrong label is noted, and the signal that decided is named", () => {
  const detection = detect(page, "application/pdf", "https://example.com/report.pdf");
  assert.deepEqual(detection.signals.notes, ["The header said application/pdf, but the bytes are text/html."]);
  assert.equal(detection.decidedBy, "content");
  assert.deepEqual([detection.signals.mime, detection.signals.extension], ["application/pdf", "application/pdf"]);
});

test("a wrong charset is noted", () => {
  const detection = detect(
    encoded("Zwölf Boxkämpfer jagen Viktor über den Deich.\n", "windows-1252"),
    "text/plain; charset=utf-8",
  );
  assert.deepEqual(detection.signals.notes, ["The header said charset utf-8, but the bytes are windows-1252."]);
});

test("each kind of evidence can decide", () => {
  assert.equal(detect(pdf).decidedBy, "magic");
  assert.equal(detect(utf8("a,b\n"), "text/csv").decidedBy, "mime");
  assert.equal(detect(utf8("a,b\n"), undefined, "table.csv").decidedBy, "extension");
  assert.equal(detect(utf8("a,b\n")).decidedBy, "content");
  assert.equal(detect(noise(300)).decidedBy, "fallback");
});

test("malformed and generic types are ignored", () => {
  for (const type of ["", ";", "text", "application/octet-stream", "binary/octet-stream", "/"]) {
    assert.equal(detect(utf8("words"), type).signals.mime, null, type);
  }
});

test("the name is read from a disposition, a URL or a path, but not from a server's script", () => {
  const disposition = { "content-disposition": 'attachment; filename="data.csv"' };
  const attachment = detectContentKind({
    firstBytes: utf8("a,b"),
    headers: disposition,
    url: "https://example.com/x.json",
  });
  assert.equal(attachment.signals.extension, "text/csv");
  assert.equal(
    detect(utf8("a"), undefined, "https://example.com/a.md?download=1#top").signals.extension,
    "text/markdown",
  );
  assert.equal(detect(utf8("a"), undefined, "/tmp/what#is?this.toml").signals.extension, "application/toml");
  assert.equal(detect(utf8("a"), undefined, "https://example.com/index.php").signals.extension, null);
  assert.equal(detect(utf8("a"), undefined, "https://example.com").signals.extension, null);
});

test("an error in detection is reported as unknown binary, not thrown", () => {
  const broken = { firstBytes: null } as unknown as Claims;
  const detection = detectContentKind(broken);
  assert.deepEqual([detection.kind, detection.decidedBy], ["unknown_binary", "fallback"]);
});

test("a PDF after junk that does not end a line is a PDF, text that quotes one is not", () => {
  const body = "%PDF-1.4\n1 0 obj\n<</Type/Catalog>>\nendobj\n";
  const junk = joined(utf8("\n\n junk".repeat(20)), utf8(body), noise(500), utf8("\nstartxref\n0\n%%EOF\n"));
  assert.equal(detectContentKind({ firstBytes: junk }).kind, "pdf");
  const prose = utf8(`A file begins with ${body}and so on, as every manual tells.\n`);
  assert.equal(detectContentKind({ firstBytes: prose }).kind, "text");
});
