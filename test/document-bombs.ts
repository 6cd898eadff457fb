/** Files other than office documents that are made to exhaust a reader: they expand, nest, repeat or lie about lengths. */
import { gzipSync } from "node:zlib";
import { be, box, join, le, makeWoff2, zeros } from "./media-files.ts";
import { makeParquet } from "./parquet.ts";
import { makeSevenZip } from "./seven-zip.ts";
import { makeSqlite } from "./sqlite-file.ts";
import { makeTar } from "./tar.ts";
import { makeZip } from "./zip.ts";

export type DocumentBomb = {
  readonly name: string;
  readonly mediaType: string;
  make(): Buffer | Promise<Buffer>;
  /** A member to read; without one the file itself is read. */
  readonly entry?: string;
  /** The reason that the reply gives, where the file is not simply read as far as it is bounded. */
  readonly reason?: "too_large" | "corrupt" | "encrypted";
};

const MB = 1024 * 1024;

/** 45 MB of zeros in one block, as bzip2 packs them, and 8 MB as xz does. */
const packedZeros = {
  bzip2: Buffer.from("QlpoOTFBWSZTWQ4J4t8BX45AAMAAAAggADCATUZCoCWpCoCXF3JFOFCQDgni3w==", "base64"),
  xz: Buffer.from(
    "/Td6WFoAAATm1rRGAgAhARwAAAAQz1jM//8RAWxdAABv/f//o7f/Rz5IFXI5YVG4kijmo4YH+e7kHoLTL8U6PAFLsX7JiopNL6MN2X+m" +
      "44wjEVPgWRjFdYrid/i2lH8MasDedElk4ulcU7IE2PdEDKtfDW1G6eXDdoi3llestk3haR1v+0uIEGxCy4g/XACP0E6vJiiUcR89jyTh" +
      "cJ6nI1/sKMuF0ZWYin4qkfIndfcZwAaYTZj92K/VkA/EJVP49ZE2MQWlsO5vwXBNRwzRkRGqrWAdus6xJxhcWYbpZlJYvul2rFnk5VsF" +
      "CPnH2q38+1IrdM0eWyBC+d1TPfgpZAk7gMsqbN+1O/DEvS5fqg8+S2ZCkBMO/xCT+HF4WfgLzf+VKEYPqfx83vuaMC5WwI+F84OBwGXE" +
      "JVP49ZE2MQWlsO5vwXBNRwzRkRGqrWAdus6xJxhcWYbpZlJYvul2rFnk5VsFCPnH2q38+1IrdM0eWyBC+d1TPfgpZAk7gMsqbN+1O/DE" +
      "vEgn5lif/xABKwDsc1On/b6ufDEan7eNMW5wnqcjX+woy4XRlZiKfiqR8id19xnABphNmP3Yr9WQD8QlU/j1kTYxBaWw7m/BcE1HDNGR" +
      "EaqtYB26zrEnGFxZhulmUli+6XasWeTlWwUI+cfarfz7Uit0zR5bIEL53VM9+ClkCTuAyyps37U78MS9Ll+qDz5LZkKQEw7/EJP4cXhZ" +
      "+AvN/5UoRg+p/Hze+5owLlbAj4Xzg4HAZcQlU/j1kTYxBaWw7m/BcE1HDNGREaqtYB26zrEnGFxZhulmUli+6XasWeTlWwUI+cfarfz7" +
      "Uit0zR5bIEL53VM9+ClkCTuAyyps37U78MS9Ll+qDz5LZkKQEw7/EJP4cXhZ+AvN/5UoRg+p/Hze+5owLlbAj4Xzg4HAZcQlUQ8/sp//" +
      "EAErAOxzU6f9vq58MRqft40xbnCepyNf7CjLhdGVmIp+KpHyJ3X3GcAGmE2Y/div1ZAPxCVT+PWRNjEFpbDub8FwTUcM0ZERqq1gHbrO" +
      "sScYXFmG6WZSWL7pdqxZ5OVbBQj5x9qt/PtSK3TNHlsgQvndUz34KWQJO4DLKmzftTvwxL0uX6oPPktmQpATDv8Qk/hxeFn4C83/lShG" +
      "D6n8fN77mjAuVsCPhfODgcBlxCVT+PWRNjEFpbDub8FwTUcM0ZERqq1gHbrOsScYXFmG6WZSWL7pdqxZ5OVbBQj5x9qt/PtSK3TNHlsg" +
      "QvndUz34KWQJO4DLKmzftTvwxL0uX6oPPktmQpATDv8Qk/hxeFn4C83/lShGD6n8fN77mjAuVsCPhfODgcBlxCVRDz+yn/8QASsA7HNT" +
      "p/2+rnwxGp+3jTFucJ6nI1/sKMuF0ZWYin4qkfIndfcZwAaYTZj92K/VkA/EJVP49ZE2MQWlsO5vwXBNRwzRkRGqrWAdus6xJxhcWYbp" +
      "ZlJYvul2rFnk5VsFCPnH2q38+1IrdM0eWyBC+d1TPfgpZAk7gMsqbN+1O/DEvS5fqg8+S2ZCkBMO/xCT+HF4WfgLzf+VKEYPqfx83vua" +
      "MC5WwI+F84OBwGXEJVP49ZE2MQWlsO5vwXBNRwzRkRGqrWAdus6xJxhcWYbpZlJYvul2rFnk5VsFCPnH2q38+1IrdM0eWyBC+d1TPfgp" +
      "ZAk7gMsqbN+1O/DEvS5fqg8+S2ZCkBMO/xCT+HF4WfgLzf+VKEYPqfx83vuaMC5WwI+F84OBwGXEJVEPP7KAA7oABQB7YffvAAAAAC0r" +
      "4M46TxjTAAGmCoCAgARmzyJ2scRn+wIAAAAABFla",
    "base64",
  ),
};

const text = (content: string): Buffer => Buffer.from(content);
const manyKeys = (count: number): string =>
  `{${Array.from({ length: count }, (_, index) => `"key ${index}":{"x${index}":[${index}]}`).join(",")}}`;
const entities = Array.from({ length: 12 }, (_, index) => `<!ENTITY e${index + 1} "${`&e${index};`.repeat(10)}">`);
const anchors = Array.from({ length: 10 }, (_, level) => `a${level}: &a${level} [${`*a${level - 1},`.repeat(9)}]\n`);
const pngChunk = (type: string, data: Buffer): Buffer => join(be(data.length, 4), type, data, zeros(4));
const pngStart = join("\x89PNG\r\n\x1a\n", pngChunk("IHDR", join(be(2 ** 31 - 1, 4), be(2 ** 31 - 1, 4), zeros(5))));
const endlessView = "CREATE VIEW v AS WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT * FROM c";
const copies = (bytes: Buffer, count: number): Buffer => Buffer.concat(Array.from({ length: count }, () => bytes));

function nestZips(depth: number): Buffer {
  let bytes = makeZip([{ name: "a.txt", data: "deep" }]);
  for (let level = 0; level < depth; level++) bytes = makeZip([{ name: "inner.zip", data: bytes }]);
  return bytes;
}

function makeManyFiles(): Buffer {
  const bytes = makeSevenZip("a", "b");
  const files = bytes.indexOf(Buffer.from([0x05, 1, 0x11]));
  return join(bytes.subarray(0, files + 1), [0xf0, 0, 0, 0, 0x40], bytes.subarray(files + 2));
}

async function makeRandomDatabase(): Promise<Buffer> {
  const bytes = await makeSqlite("CREATE TABLE t (a); INSERT INTO t VALUES (1)");
  for (let at = 100; at < bytes.length; at++) bytes[at] = (at * 31) % 251;
  return bytes;
}

function makeNestedMail(): Buffer {
  const parts = Array.from(
    { length: 20_000 },
    (_, level) => `Content-Type: multipart/mixed; boundary=b${level}\r\n\r\n--b${level}\r\n`,
  );
  return text(parts.join(""));
}

function makeBook(): Buffer {
  return makeZip([
    {
      name: "META-INF/container.xml",
      data: '<container><rootfiles><rootfile full-path="b.opf"/></rootfiles></container>',
    },
    {
      name: "b.opf",
      data: '<package><manifest><item id="a" href="a.xhtml"/></manifest><spine><itemref idref="a"/></spine></package>',
    },
    { name: "a.xhtml", data: "<p>a</p>".repeat(25 * MB) },
  ]);
}

const parquetType = "application/vnd.apache.parquet";
const sqliteType = "application/vnd.sqlite3";

export const documentBombs: readonly DocumentBomb[] = [
  // Archives.
  {
    name: "a tar in gzip whose first file has 400 MB",
    mediaType: "application/gzip",
    make: () => gzipSync(makeTar([{ name: "zeros", data: Buffer.alloc(400 * MB) }]), { level: 1 }),
  },
  {
    name: "a zip member of 400 MB",
    mediaType: "application/zip",
    entry: "zeros",
    reason: "too_large",
    make: () => makeZip([{ name: "zeros", data: Buffer.alloc(400 * MB) }]),
  },
  {
    name: "a zip member that claims 10 bytes",
    mediaType: "application/zip",
    entry: "zeros",
    reason: "too_large",
    make: () => makeZip([{ name: "zeros", data: Buffer.alloc(200 * MB), claimedBytes: 10 }]),
  },
  {
    name: "a zip of 50,000 members",
    mediaType: "application/zip",
    make: () => makeZip(Array.from({ length: 50_000 }, (_, index) => ({ name: `${index}`, data: "" }))),
  },
  { name: "zips nested 40 deep", mediaType: "application/zip", make: () => nestZips(40) },
  {
    name: "bzip2 of 45 GB",
    mediaType: "application/x-bzip2",
    entry: "content",
    reason: "too_large",
    make: () => copies(packedZeros.bzip2, 1_000),
  },
  {
    name: "xz of 8 GB",
    mediaType: "application/x-xz",
    entry: "content",
    reason: "too_large",
    make: () => copies(packedZeros.xz, 1_000).subarray(0, 200_000),
  },
  {
    name: "a 7z archive of 2^30 files",
    mediaType: "application/x-7z-compressed",
    reason: "corrupt",
    make: makeManyFiles,
  },
  {
    name: "a cpio file with a name of 2 GB",
    mediaType: "application/x-cpio",
    reason: "corrupt",
    make: () => join("070707", "000000".repeat(8), "00000000000", "777777", "77777777777", "a\0"),
  },
  // Data.
  { name: "JSON nested a million deep", mediaType: "application/json", make: () => text("[".repeat(MB)) },
  { name: "JSON of 300,000 keys", mediaType: "application/json", make: () => text(manyKeys(300_000)) },
  { name: "a JSON string of 30 MB", mediaType: "application/json", make: () => text(`["${'a\\"'.repeat(10 * MB)}`) },
  {
    name: "a quote that never ends in 28 MB",
    mediaType: "text/csv",
    make: () => text(`a,b\n"${"1,2\n".repeat(7 * MB)}`),
  },
  { name: "rows of 5 million cells", mediaType: "text/csv", make: () => text(`${",".repeat(5 * MB)}\n`.repeat(3)) },
  { name: "XML nested a million deep", mediaType: "application/xml", make: () => text("<a>".repeat(MB)) },
  {
    name: "entities of XML that expand to 10^12 characters",
    mediaType: "application/xml",
    make: () => text(`<!DOCTYPE x [<!ENTITY e0 "lol">${entities.join("")}]><x>${"&e12;".repeat(100_000)}</x>`),
  },
  {
    name: "anchors of YAML that expand to 10^9 values",
    mediaType: "application/yaml",
    make: () => text(anchors.join("").repeat(3_000)),
  },
  { name: "YAML nested in 600,000 dashes", mediaType: "application/yaml", make: () => text("- ".repeat(600_000)) },
  {
    name: "a log line of 30 MB",
    mediaType: "text/plain",
    make: () => text("2026-01-01T00:00:00Z INFO a\n".repeat(10) + "x".repeat(30 * MB)),
  },
  // Images and media.
  {
    name: "a PNG of 2^62 pixels and 300,000 chunks",
    mediaType: "image/png",
    make: () => join(pngStart, copies(pngChunk("tEXt", zeros(0)), 300_000)),
  },
  {
    name: "a GIF of 2 million frames",
    mediaType: "image/gif",
    make: () =>
      join("GIF89a", le(1, 2), le(1, 2), zeros(3), Buffer.alloc(28 * MB, join([0x2c], zeros(9), [2, 1, 0, 0]))),
  },
  {
    name: "a TIFF whose pages are a circle",
    mediaType: "image/tiff",
    make: () => join("II*\0", le(8, 4), le(0, 2), le(8, 4)),
  },
  {
    name: "a drawing nested a million deep",
    mediaType: "image/svg+xml",
    reason: "too_large",
    make: () => text("<svg>".repeat(MB)),
  },
  {
    name: "an HEIC of a million boxes",
    mediaType: "image/heic",
    make: () => join(box("ftyp", "heic"), Buffer.alloc(8 * MB, box("free"))),
  },
  {
    name: "a video whose box claims 2^60 bytes",
    mediaType: "video/mp4",
    make: () => join(box("ftyp", "isom"), be(1, 4), "moov", be(2 ** 28, 4), zeros(4), box("trak")),
  },
  {
    name: "a font of 65,535 tables",
    mediaType: "font/ttf",
    make: () => join(be(0x10000, 4), be(65_535, 2), Buffer.alloc(MB, join("name", zeros(4), be(12, 4), be(MB, 4)))),
  },
  {
    name: "a WOFF2 font whose tables unpack to 200 MB",
    mediaType: "font/woff2",
    make: () => makeWoff2(Buffer.alloc(200 * MB)),
  },
  // Databases.
  { name: "a database with a view that never ends", mediaType: sqliteType, make: () => makeSqlite(endlessView) },
  {
    name: "a database of 3,000 tables",
    mediaType: sqliteType,
    make: () =>
      makeSqlite(`BEGIN;${Array.from({ length: 3_000 }, (_, index) => `CREATE TABLE t${index} (a);`).join("")}COMMIT`),
  },
  { name: "a database of random pages", mediaType: sqliteType, reason: "corrupt", make: makeRandomDatabase },
  {
    name: "Parquet that claims 2^31 rows",
    mediaType: parquetType,
    make: () => makeParquet([{ name: "a", values: [1, 2] }], { rows: 2 ** 31 }),
  },
  {
    name: "a Parquet page that claims 2 GB",
    mediaType: parquetType,
    make: () => makeParquet([{ name: "a", values: ["x"] }], { codec: 1, claimedPageBytes: 2 ** 31 - 1 }),
  },
  {
    name: "a Parquet page of 200 MB in gzip",
    mediaType: parquetType,
    make: () => makeParquet([{ name: "a", values: ["x"] }], { codec: 2, pageBytes: gzipSync(Buffer.alloc(200 * MB)) }),
  },
  // Mail, books, notebooks, rich text.
  { name: "a mail of 20,000 nested parts", mediaType: "message/rfc822", reason: "corrupt", make: makeNestedMail },
  {
    name: "groups of RTF nested a million deep",
    mediaType: "application/rtf",
    make: () => text(`{\\rtf1 ${"{".repeat(MB)}x`),
  },
  { name: "a book with a chapter of 200 MB", mediaType: "application/epub+zip", make: makeBook },
  {
    name: "a notebook nested 100,000 deep",
    mediaType: "application/x-ipynb+json",
    make: () => text(`{"nbformat":4,"cells":${"[".repeat(100_000)}`),
  },
];
