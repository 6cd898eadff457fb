/** Recognises markup and other text formats by how they begin, after comments and white space. */

/** The markup or other format of a text. */
export type Markup = {
  readonly mediaType: string;
  /** Has a doctype, an `<html>` tag or a namespace, not just a tag that a snippet or a README may begin with. */
  readonly isCertain: boolean;
  /** Declared as XML, so that a claim of XML is right too. */
  readonly isXml: boolean;
};

/** The format of this text, or null for text without a particular format. */
export function readMarkup(text: string): Markup | null {
  const start = text.replace(/^[\ufeff\s]+/, "");
  return start.startsWith("<") ? readTags(start) : matchBeginning(start.slice(0, MAX_TAG_CHARS));
}

function readTags(text: string): Markup | null {
  const { doctype, root } = skipProlog(text);
  const isDeclared = /^<\?xml[\s?]/.test(text);
  const isXml = isDeclared || /^[^>]*\sxmlns(:\w+)?=/.test(root);
  if (isRoot(root, "svg") || /^svg\b/i.test(doctype))
    return { mediaType: "image/svg+xml", isCertain: true, isXml: true };
  if (isRoot(root, "html") || /^html\b/i.test(doctype)) {
    return { mediaType: isDeclared ? "application/xhtml+xml" : "text/html", isCertain: true, isXml };
  }
  if (isDeclared) return { mediaType: findXmlType(root), isCertain: true, isXml };
  const tag = /^<([a-z][a-z0-9]*)[\s/>]/i.exec(root)?.[1];
  if (tag !== undefined && htmlTags.has(tag.toLowerCase())) return { mediaType: "text/html", isCertain: false, isXml };
  return isElement(root) ? { mediaType: findXmlType(root), isCertain: false, isXml: true } : null;
}

/** Skips instructions, comments and the doctype up to the first tag. */
function skipProlog(text: string): { doctype: string; root: string } {
  let offset = 0;
  let doctype = "";
  for (let i = 0; i < MAX_PROLOG_PARTS; i++) {
    const end = findPrologPartEnd(text, offset);
    if (end === -1) break;
    if (isDoctype(text, offset)) doctype = text.slice(offset + 9, offset + MAX_TAG_CHARS).trimStart();
    offset = end;
  }
  return { doctype, root: text.slice(offset, offset + MAX_TAG_CHARS) };
}

const MAX_PROLOG_PARTS = 40;
/** How much of a tag is examined; longer input could make the patterns slow. */
const MAX_TAG_CHARS = 512;

/** The end of the instruction, comment, doctype or white space at this offset, or -1 for anything else. */
function findPrologPartEnd(text: string, offset: number): number {
  if (text.startsWith("<!--", offset)) return indexAfter(text, "-->", offset + 4);
  if (text.startsWith("<?", offset)) return indexAfter(text, ">", offset);
  if (isDoctype(text, offset)) return findDoctypeEnd(text, offset);
  const tag = text.indexOf("<", offset);
  return tag > offset && text.slice(offset, tag).trim() === "" ? tag : -1;
}

const isDoctype = (text: string, offset: number): boolean => /^<!doctype$/i.test(text.slice(offset, offset + 9));

/** A doctype may contain declarations in brackets, which contain tags. */
function findDoctypeEnd(text: string, offset: number): number {
  const close = text.indexOf(">", offset);
  const open = text.indexOf("[", offset);
  return open === -1 || open > close ? close + 1 || text.length : indexAfter(text, ">", indexAfter(text, "]", open));
}

/** The offset after the next `marker`, or the end of the text. */
function indexAfter(text: string, marker: string, start: number): number {
  const index = text.indexOf(marker, start);
  return index === -1 ? text.length : index + marker.length;
}

/** `<svg`, or `<any:svg` with a namespace. */
function isRoot(root: string, name: string): boolean {
  return new RegExp(`^<(${name}|[a-z][\\w.-]*:${name})[\\s/>]`, "i").test(root);
}

/** A whole opening tag with a name and a namespace or attributes, as XML without a declaration begins. */
const isElement = (root: string): boolean => /^<[a-z_][\w.:-]*(\s+[\w.:-]+\s*=\s*["'][^<]*?)?\s*\/?>/i.test(root);

function findXmlType(root: string): string {
  return xmlRoots.find(([name]) => isRoot(root, name))?.[1] ?? "application/xml";
}

const xmlRoots: readonly (readonly [name: string, mediaType: string])[] = [
  ["rss", "application/rss+xml"],
  ["feed", "application/atom+xml"],
  ["urlset", "application/sitemap+xml"],
  ["sitemapindex", "application/sitemap+xml"],
  ["RDF", "application/rdf+xml"],
  ["kml", "application/vnd.google-earth.kml+xml"],
  ["gpx", "application/gpx+xml"],
  ["math", "application/mathml+xml"],
  ["xliff", "application/xliff+xml"],
  ["tt", "application/ttml+xml"],
];

/** Elements that a page or a fragment may begin with. */
const htmlTags: ReadonlySet<string> = new Set(
  (
    "a abbr address article aside audio b base basefont bdi bdo big blink blockquote body br button canvas caption " +
    "center cite code col colgroup dd del details dfn dialog dir div dl dt em embed fieldset figcaption figure font " +
    "footer form frame frameset h1 h2 h3 h4 h5 h6 head header hgroup hr i iframe img input ins kbd label legend li " +
    "link main map mark marquee menu meta meter nav noscript object ol optgroup option output p param picture pre " +
    "progress q s samp script section select small source span strike strong style sub summary sup table tbody td " +
    "template textarea tfoot th thead time title tr track tt u ul var video wbr"
  ).split(" "),
);

function matchBeginning(text: string): Markup | null {
  const row = beginnings.find(([pattern]) => pattern.test(text));
  return row === undefined ? null : { mediaType: row[1], isCertain: true, isXml: false };
}

const beginnings: readonly (readonly [pattern: RegExp, mediaType: string])[] = [
  [/^\{\s*"(openapi|swagger)"\s*:\s*"[\d.]+"/, "application/vnd.oai.openapi+json"],
  [/^\{\s*("|\}\s*$)|^\[\s*([{["]|\]\s*$|(-?\d[\d.eE+-]*|true|false|null)\s*(,|\]\s*$))/, "application/json"],
  [/^-----BEGIN PGP (MESSAGE|SIGNED)/, "application/pgp-encrypted"],
  [/^-----BEGIN [A-Z0-9 ]+-----/, "application/x-pem-file"],
  [/^BEGIN:VCALENDAR\s/i, "text/calendar"],
  [/^BEGIN:VCARD\s/i, "text/vcard"],
  [/^WEBVTT[\s]/, "text/vtt"],
  [/^1\r?\n\d\d:\d\d:\d\d,\d{3} --> /, "application/x-subrip"],
  [/^#EXTM3U\b/, "application/vnd.apple.mpegurl"],
  [/^%!PS/, "application/postscript"],
  [/^From \S+.*\d\d:\d\d/, "application/mbox"],
  [/^(Return-Path|Received|Delivered-To|MIME-Version|Message-ID|X-[\w-]+): /i, "message/rfc822"],
  [/^diff --git |^Index: \S+\r?\n=+|^--- \S.*\r?\n\+\+\+ /, "text/x-diff"],
  [/^#!\s*\S*\/(env\s+)?(ba|da|z|k)?sh\b/, "application/x-sh"],
  [/^#!\s*\S*\/(env\s+)?python/, "text/x-python"],
  [/^\\documentclass\b|^\\documentstyle\b/, "text/x-tex"],
];
