/** The words that an office document contains, taken from its raw XML, and how many of them a text has. */
import { toBody } from "../src/acquire/spooled-body.ts";
import { openZip, type Zip } from "../src/extract/zip/open-zip.ts";
import { splitTokens } from "./pdf-score.ts";

/** The share of the words of the document that occur in the text. */
export function computeRecall(words: readonly string[], text: string): number {
  const found = new Set(splitTokens(reduceMarkdown(text)));
  return words.filter((word) => found.has(word)).length / Math.max(1, words.length);
}

/** Signs of formats inside words, as in `**H**ello` or `x^2`, and escapes are not part of them. */
function reduceMarkdown(text: string): string {
  return text.replaceAll(/\*\*|~~|\^|\\(?=[|#])|(?<![\p{L}\p{N}_])_|_(?![\p{L}\p{N}_])/gu, "").replaceAll("<br>", "\n");
}

/** The words of the visible text in the XML; none where the package cannot be opened. */
export async function readWords(bytes: Uint8Array, extension: string): Promise<string[]> {
  try {
    const zip = await openZip(toBody({ bytes }, bytes.length));
    const text = await (texts[extension.replace(/m$/, "x")] ?? (async () => ""))(zip);
    return splitTokens(reduceMarkdown(text));
  } catch {
    return []; // Damaged or encrypted: there is nothing to compare with.
  }
}

const texts: Readonly<Record<string, (zip: Zip) => Promise<string>>> = {
  docx: (zip) => joinRuns(zip, /^word\/(document|header\d*|footer\d*|footnotes|endnotes|comments)\d*\.xml$/i, "w"),
  pptx: (zip) => joinRuns(zip, /^ppt\/(slides|notesSlides)\/[^/]+\.xml$/i, "a"),
  xlsx: readStringCells,
  odt: readOdf,
  ods: readOdf,
  odp: readOdf,
};

/** The runs of each paragraph, joined. */
async function joinRuns(zip: Zip, parts: RegExp, prefix: string): Promise<string> {
  const lines: string[] = [];
  for (const xml of await readParts(zip, parts)) {
    for (const paragraph of xml.split(new RegExp(`</${prefix}:p>`))) {
      const runs = paragraph.matchAll(
        new RegExp(
          `<${prefix}:t(?:\\s[^>]*)?>([^<]*)<|<${prefix}:(?:tab|ptab|br|cr|noBreakHyphen|footnoteReference|sym)\\b`,
          "g",
        ),
      );
      lines.push([...runs].map(([, text]) => text ?? " ").join(""));
    }
  }
  return decode(lines.join("\n"));
}

async function readStringCells(zip: Zip): Promise<string> {
  const [shared = ""] = await readParts(zip, /^xl\/sharedStrings\.xml$/i);
  const strings = shared.split("</si>").map(joinTexts);
  const cells: string[] = [];
  for (const xml of await readParts(zip, /^xl\/worksheets\/[^/]+\.xml$/i)) {
    for (const [, type = "", content = ""] of xml.matchAll(/<c\s[^>]*\bt="(s|str|inlineStr)"[^>]*>(.*?)<\/c>/gs)) {
      const value = /<v[^>]*>([^<]*)</.exec(content)?.[1] ?? "";
      cells.push(type === "s" ? (strings[Number(value)] ?? "") : type === "str" ? value : joinTexts(content));
    }
  }
  return decode(cells.join("\n"));
}

function joinTexts(xml: string): string {
  const bare = xml.replaceAll(/<rPh\b.*?<\/rPh>/gs, "");
  return [...bare.matchAll(/<t(?:\s[^>]*)?>([^<]*)</g)].map(([, text]) => text).join("");
}

async function readOdf(zip: Zip): Promise<string> {
  const [manifest = ""] = await readParts(zip, /^META-INF\/manifest\.xml$/);
  if (manifest.includes("encryption-data")) return "";
  const [xml = ""] = await readParts(zip, /^content\.xml$/);
  const body = xml
    .slice(Math.max(0, xml.indexOf("<office:body")))
    .replaceAll(/<(text:tracked-changes|text:note-citation|dc:date|office:binary-data)\b.*?<\/\1>/gs, "\n")
    .replaceAll(/<text:(s|tab|line-break|note-body)\b[^>]*>|<\/(text:p|text:h|svg:desc|svg:title|dc:creator)>/g, "\n");
  return decode(body.replaceAll(/<[^>]*>/g, ""));
}

async function readParts(zip: Zip, names: RegExp): Promise<string[]> {
  const parts: string[] = [];
  for (const member of zip.members.filter(({ name }) => names.test(name))) {
    const chunks = await Array.fromAsync(zip.read(member, { maxBytes: 64 * 1024 * 1024 }));
    const bytes = Buffer.concat(chunks);
    parts.push(bytes.toString(bytes[1] === 0 ? "utf16le" : "utf8"));
  }
  return parts;
}

function decode(text: string): string {
  return text
    .replaceAll(/&#x([\da-f]+);/gi, (_, hex) => String.fromCodePoint(Number.parseInt(hex, 16)))
    .replaceAll(/&#(\d+);/g, (_, digits) => String.fromCodePoint(Number(digits)))
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&apos;", "'")
    .replaceAll("&amp;", "&")
    .replaceAll(/_x[\da-f]{4}_/gi, " ");
}
