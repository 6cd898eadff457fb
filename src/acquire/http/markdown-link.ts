/** Finds the link to the Markdown form of a page, where the page names one on its own site. */

/** How much of a page is searched: links to alternates are in its head. */
export const MARKDOWN_LINK_PREFIX_BYTES = 64 * 1024;

/** Most heads are no longer, so that the rest of the prefix need not be decoded. */
const USUAL_HEAD_BYTES = 8 * 1024;

/** Searches the Link header, then the head of the page, then guesses where sites are known for it; accepts only the same origin, and not the page itself. */
export function findMarkdownLink(page: URL, linkHeader: string, head: Uint8Array): URL | undefined {
  const headHtml = readHead(head);
  const hrefs = [...findHeaderLinks(linkHeader), ...findElementLinks(headHtml), ...findTwin(page, headHtml)];
  for (const href of hrefs) {
    const url = URL.canParse(href, page.href) ? new URL(href, page) : undefined;
    if (url === undefined || url.origin !== page.origin || url.username !== "" || url.password !== "") continue;
    url.hash = "";
    if (url.href !== page.href) return url;
  }
  return undefined;
}

/** RFC 8288: `<page.md>; rel="alternate"; type="text/markdown"`. */
function findHeaderLinks(header: string): string[] {
  const links = header.slice(0, 8_192).matchAll(/<([^<>]{1,2048})>([^<]*)/g);
  return [...links].flatMap(([, href = "", parameters = ""]) => (isMarkdownAlternate(parameters) ? [href] : []));
}

/** The page before its body, without comments. */
function readHead(bytes: Uint8Array): string {
  const usual = withoutComments(bytes.subarray(0, USUAL_HEAD_BYTES));
  const end = usual.search(headEnd);
  return end >= 0 ? usual.slice(0, end) : (withoutComments(bytes).split(headEnd, 1)[0] ?? "");
}

const headEnd = /<\/head|<body/i;

function withoutComments({ buffer, byteOffset, length }: Uint8Array): string {
  const html = Buffer.from(buffer, byteOffset, length).toString("utf8");
  return html.replace(/<!--[\s\S]*?(?:-->|$)/g, "");
}

/**
 * The address with `.md` instead of `.html` or nothing. Documentation sites that name an llms.txt in their head, and those
 * of some programs, have every page there too; on other sites asking would be a request in vain.
 */
function findTwin({ pathname }: URL, headHtml: string): string[] {
  const name = pathname.replace(/\/$/, "").replace(/\.html?$/i, "");
  if (name === "" || /\.\w{1,5}$/.test(name)) return [];
  const generator =
    /<meta\b(?=[^<>]{0,200}\bname=["']?generator)[^<>]{0,200}\bcontent=["']?(?:Mintlify|GitBook|Fern)\b/i;
  return /\bllms(?:-full)?\.txt\b/.test(headHtml) || generator.test(headHtml) ? [`${name}.md`] : [];
}

function findElementLinks(headHtml: string): string[] {
  return [...headHtml.matchAll(/<link\b([^<>]{1,4096})>/gi)].flatMap(([, attributes = ""]) => {
    const href = readAttribute(attributes, "href");
    return href !== undefined && isMarkdownAlternate(attributes) ? [href.replaceAll("&amp;", "&")] : [];
  });
}

function isMarkdownAlternate(attributes: string): boolean {
  const relations = readAttribute(attributes, "rel")?.toLowerCase().split(/\s+/) ?? [];
  const type = readAttribute(attributes, "type")?.toLowerCase().split(";")[0]?.trim();
  return relations.includes("alternate") && (type === "text/markdown" || type === "text/x-markdown");
}

function readAttribute(attributes: string, name: string): string | undefined {
  const match = new RegExp(`(?:^|[\\s;/"'])${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)'|([^\\s"'>;,]+))`, "i").exec(
    attributes,
  );
  return (match?.[1] ?? match?.[2] ?? match?.[3])?.trim();
}
