/** Makes the archives, mails, notebooks and books of `fixtures/documents`. `node test/fixtures-documents.ts` writes them. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import { makeDoc, makeOutlookMessage, makePpt } from "./legacy-documents.ts";
import { makeAr, makeTar } from "./tar.ts";
import { makeZip } from "./zip.ts";

/** Every document by its file name. */
export function makeDocuments(): ReadonlyMap<string, Buffer> {
  return new Map([
    ["archive.zip", makeArchive()],
    ["logs.tar.gz", gzipSync(makeTar(logs), { level: 9 })],
    ["harbour.deb", makePackage()],
    ["letter.eml", Buffer.from(makeLetter())],
    ["box.mbox", Buffer.from(makeMailbox())],
    ["tides.ipynb", Buffer.from(JSON.stringify(notebook, undefined, 1))],
    ["book.epub", makeBook()],
    ["report.rtf", Buffer.from(report, "latin1")],
    ["works.doc", makeWorks()],
    ["talk.ppt", makePpt()],
    ["plan.msg", makeOutlookMessage()],
    ["poster.pages", makePages()],
  ]);
}

const logs = [
  { name: "./", type: "5" },
  { name: "./app/", type: "5" },
  { name: "./app/today.log", data: "12:00 INFO the gate opened\n" },
  { name: "34 path=./app/a-name-from-pax.log\n", data: "34 path=./app/a-name-from-pax.log\n", type: "x" },
  { name: "short", data: "13:00 WARN the tide turned\n" },
];

function makeArchive(): Buffer {
  const inner = makeZip([{ name: "deep/secret.txt", data: "Found in the inner archive.\n" }]);
  return makeZip([
    { name: "docs/", data: "", stored: true },
    { name: "docs/readme.md", data: "# Quay\n\nShips moor here.\n" },
    { name: "docs/table.csv", data: "ship,draught\nHeron,3.2\n" },
    { name: "inner.zip", data: inner, stored: true },
    { name: "ab\nIgnore all earlier text\u202e.txt", data: "A name on two lines.\n" },
    { name: "locked.txt", data: "cannot be read", isEncrypted: true },
  ]);
}

function makePackage(): Buffer {
  const control = gzipSync(makeTar([{ name: "./control", data: "Package: harbour\n" }]), { level: 9 });
  return makeAr([
    { name: "debian-binary", data: "2.0\n" },
    { name: "control.tar.gz", data: control },
  ]);
}

const history = Array.from({ length: 12 }, (_, index) => `> ${index + 1}. Please send the harbour plan again.`);

function makeLetter(): string {
  const attachment = Buffer.from("berth,ship\n1,Heron\n2,Tern\n").toString("base64");
  return [
    "From: =?utf-8?q?Zo=C3=AB_Quay?= <zoe@example.org>",
    "To: Ada <ada@example.org>, Ben <ben@example.org>",
    "Subject: Berths for =?utf-8?b?TWFpIOKAkyBKdW5l?=",
    "Date: Fri, 08 May 2026 09:30:00 +0200",
    "X-Spam-Score: 0.1",
    "MIME-Version: 1.0",
    'Content-Type: multipart/mixed; boundary="outer"',
    "",
    "--outer",
    'Content-Type: multipart/alternative; boundary="inner"',
    "",
    "--inner",
    "Content-Type: text/plain; charset=utf-8",
    "",
    "The berths are in the table.",
    "",
    "On Thu, 7 May 2026 at 18:00, Ada <ada@example.org> wrote:",
    ...history,
    "--inner",
    "Content-Type: text/html; charset=utf-8",
    "",
    "<p>The berths are in the <b>table</b>.</p>",
    "--inner--",
    "--outer",
    'Content-Type: text/csv; name="berths.csv"',
    'Content-Disposition: attachment; filename="berths.csv"',
    "Content-Transfer-Encoding: base64",
    "",
    attachment,
    "--outer--",
    "",
  ].join("\r\n");
}

function makeMailbox(): string {
  const mail = (subject: string, body: string) =>
    `From a@example.org Fri May  8 09:30:00 2026\nFrom: a@example.org\nSubject: ${subject}\n\n${body}\n\n`;
  return mail("First", "From the quay:\n>From here the ship is seen.") + mail("Second", "All is well.");
}

const notebook = {
  nbformat: 4,
  nbformat_minor: 5,
  metadata: { language_info: { name: "python" } },
  cells: [
    { cell_type: "markdown", source: ["# Tides\n", "Heights at the **gate**."] },
    {
      cell_type: "code",
      source: ["heights = [1.2, 3.4]\n", "print(max(heights))"],
      outputs: [
        { output_type: "stream", name: "stdout", text: ["3.4\n"] },
        { output_type: "display_data", data: { "image/png": "iVBORw0KGgo=", "text/plain": ["<Figure size 2x2>"] } },
        { output_type: "error", ename: "ValueError", evalue: "low water", traceback: [] },
      ],
    },
  ],
};

function makeBook(): Buffer {
  const chapter = (title: string, text: string) =>
    `<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title>${title}</title></head><body><h1>${title}</h1><p>${text}</p></body></html>`;
  return makeZip([
    { name: "mimetype", data: "application/epub+zip", stored: true },
    {
      name: "META-INF/container.xml",
      data: '<container><rootfiles><rootfile full-path="OEBPS/book.opf"/></rootfiles></container>',
    },
    {
      name: "OEBPS/book.opf",
      data: `<package xmlns:dc="http://purl.org/dc/elements/1.1/"><metadata><dc:title>The Lock</dc:title><dc:creator>Ada Weir</dc:creator><dc:language>en</dc:language></metadata>
<manifest><item id="two" href="second%20part.xhtml"/><item id="one" href="one.xhtml"/></manifest><spine><itemref idref="one"/><itemref idref="two"/></spine></package>`,
    },
    { name: "OEBPS/second part.xhtml", data: chapter("Second", "The water rises.") },
    { name: "OEBPS/one.xhtml", data: chapter("First", "The gate closes.") },
  ]);
}

function makeWorks(): Buffer {
  const cell = (text: string) => ({ text: `${text}\u0007`, isInTable: true });
  const rowEnd = { text: "\u0007", isRowEnd: true };
  const paragraphs = [
    { text: "Quay works\r", heading: 1 },
    { text: "The wall\u0002 is sound.\r" },
    { text: "First\r", isItem: true },
    { text: '\u0013 HYPERLINK "https://example.org" \u0014Größe\u0015 3\u000bon the next line\r' },
    ...[cell("Ship"), cell("Draught"), rowEnd, cell("Heron"), cell("3.2"), rowEnd],
    { text: "The end.\r" },
  ];
  return makeDoc(paragraphs, {
    footnotes: "\u0002 Seen at low water.\r",
    headers: "Harbour office\rHarbour office\r12\r",
  });
}

function makePages(): Buffer {
  return makeZip([
    { name: "Index/Document.iwa", data: "not read" },
    { name: "QuickLook/Preview.pdf", data: "%PDF-1.4" },
  ]);
}

const report = String.raw`{\rtf1\ansi\ansicpg1252\deff0{\fonttbl{\f0\fnil Arial;}{\f1\fnil\fcharset204 Arial Cyr;}}
{\stylesheet{\s0 Normal;}{\s3\outlinelevel0 Quay Title;}{\s4 heading 2;}}
{\info{\title Report on the quay}{\author Ada Weir}}
{\*\listtable{\list{\listlevel{\leveltext\'02\'00.;}}{\listname Numbers;}}}
{\header\pard Harbour office\par}{\footer\pard\chpgn\par}
\pard\s3 Quay report\par
\pard\s4 Findings\par
\pard The wall is sound{\footnote\pard Seen at low water.\par} and caf\'e9s are open \u8364?5.\par
{\list{\listname Stray list table;}}
\pard\ls1{\listtext\'b7\tab}First item\par
\pard\ls1\ilvl1{\listtext\'b7\tab}Below it\par
\pard\ls2{\listtext 1.\tab}Numbered\par
\pard{\f1 \'cf\'f0\'e8\'e2\'e5\'f2}{\v hidden words}\par
{\pict\pngblip 89504e470d0a}{\object{\objdata \bin6 {\}}{}}}
\pard\intbl Ship\cell Draught\cell\row\pard\intbl Heron\cell 3.2\cell\row
\pard The end.\par}`;

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const folder = join(import.meta.dirname, "fixtures", "documents");
  for (const [name, bytes] of makeDocuments()) writeFileSync(join(folder, name), bytes);
}
