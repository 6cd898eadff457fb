/** Turns the XML of a feed or a sitemap into Markdown, entry by entry, as it arrives. */
import type { DocumentFacts } from "../handler.ts";
import { writeWholePage } from "../html/page.ts";
import { toPlainText } from "../html/plain-text.ts";
import { scanXml, XmlLimitError, type XmlTag } from "../xml/scan-xml.ts";

/** The elements that are one entry each, by the element that they are in. */
const entriesIn: Readonly<Record<string, string>> = {
  channel: "item",
  RDF: "item",
  feed: "entry",
  urlset: "url",
  sitemapindex: "sitemap",
};

/** Of other namespaces only these parts of an entry are read. */
const prefixedParts: ReadonlySet<string> = new Set(["content:encoded", "dc:creator", "dc:date"]);

type Entry = { readonly [part: string]: string };

/** Longer parts of an entry are cut: what follows is more than an entry says. */
const MAX_PART_CHARS = 256 * 1024;
/** Longer HTML is not parsed as a page. */
const MAX_PAGE_CHARS = 64 * 1024;

export class FeedText {
  /** What the feed says about itself. */
  facts: DocumentFacts = {};
  #scanner = scanXml({
    open: (name, tag) => this.#open(name, tag),
    close: (name) => this.#close(name),
    text: (text) => this.#add(text),
  });
  #written = "";
  #feed: Record<string, string> = {};
  #entry: Record<string, string> | undefined;
  /** The part that text belongs to, and how deep its element is. */
  #part: { readonly name: string; readonly depth: number } | undefined;
  #path: string[] = [];
  #entryDepth = 0;
  #isHeaded = false;
  #isEnded = false;

  /** The Markdown of the entries that ended in this chunk. */
  write(chunk: string): string {
    return this.#scan(() => this.#scanner.write(chunk));
  }

  end(): string {
    const rest = this.#scan(() => this.#scanner.end());
    return rest + (this.#isHeaded ? "" : this.#writeHead());
  }

  /** Where the work would be without bounds, the entries so far are the text. */
  #scan(work: () => void): string {
    try {
      if (!this.#isEnded) work();
    } catch (error) {
      if (!(error instanceof XmlLimitError)) throw error;
      this.#isEnded = true;
    }
    const text = this.#written;
    this.#written = "";
    return text;
  }

  #open(name: string, tag: XmlTag): void {
    const parent = this.#path.at(-1) ?? "";
    this.#path.push(name);
    if (this.#entry === undefined && entriesIn[parent] === name) {
      if (!this.#isHeaded) this.#written += this.#writeHead();
      this.#entry = {};
      this.#entryDepth = this.#path.length;
      return;
    }
    if (this.#isPart(name, parent, tag.prefix)) this.#part = { name, depth: this.#path.length };
    const href = this.#part?.name === "link" ? tag.get("href") : undefined;
    if (href !== undefined && /^(alternate)?$/.test(tag.get("rel") ?? "")) this.#parts.link ??= href;
  }

  /** A direct child of an entry or of the feed itself, or the name of an author. What is inside a part belongs to it. */
  #isPart(name: string, parent: string, prefix: string): boolean {
    if (this.#part !== undefined && this.#part.name !== "author") return false;
    const isAuthorName = parent === "author" && name === "name";
    const isDirect = this.#entry === undefined ? parent in entriesIn : this.#path.length === this.#entryDepth + 1;
    const isOurs = prefix === "" || prefix === "atom" || prefixedParts.has(`${prefix}:${name}`);
    return isAuthorName || (isDirect && isOurs);
  }

  #close(name: string): void {
    if (this.#entry !== undefined && this.#path.length === this.#entryDepth) {
      this.#written += writeEntry(this.#entry);
      this.#entry = undefined;
    }
    if (this.#part?.depth === this.#path.length) this.#part = undefined;
    // An element that was not closed ends with the one around it.
    const depth = this.#path.lastIndexOf(name);
    if (depth >= 0) this.#path.length = depth;
  }

  get #parts(): Record<string, string> {
    return this.#entry ?? this.#feed;
  }

  #add(text: string): void {
    if (this.#part === undefined) return;
    const { name } = this.#part;
    const before = this.#parts[name] ?? "";
    if (before.length < MAX_PART_CHARS) this.#parts[name] = (before + text).slice(0, MAX_PART_CHARS);
  }

  #writeHead(): string {
    this.#isHeaded = true;
    const title = toLine(this.#feed.title);
    const about = toLine(this.#feed.description ?? this.#feed.subtitle);
    const link = toLine(this.#feed.link);
    if (title !== "") this.facts = { title, ...(link === "" ? {} : { canonicalUrl: link }) };
    const lines = [title === "" ? "" : `# ${title}`, about, link].filter((line) => line !== "");
    return lines.length === 0 ? "" : `${lines.join("\n\n")}\n\n`;
  }
}

/** An address of a sitemap is a line, an entry of a feed is a section. */
function writeEntry(entry: Entry): string {
  if (entry.loc !== undefined) {
    const changed = toLine(entry.lastmod);
    return `- ${toLine(entry.loc)}${changed === "" ? "" : ` (${changed})`}\n`;
  }
  const date = toLine(entry.pubDate ?? entry.published ?? entry.updated ?? entry.date);
  const author = toLine(entry.creator ?? entry.author ?? entry.name);
  const lines = [
    `## ${toLine(entry.title) || "Untitled"}`,
    [toLine(entry.link ?? entry.guid ?? entry.id), date, author].filter((part) => part !== "").join(" | "),
    toMarkdown(entry.encoded ?? entry.content ?? entry.description ?? entry.summary ?? ""),
  ];
  return `${lines.filter((line) => line !== "").join("\n\n")}\n\n`;
}

const toLine = (text = ""): string => toPlainText(text).replaceAll(/\s+/g, " ").trim();

function toMarkdown(html: string): string {
  if (!/<[a-z!/]|&\w+;/i.test(html)) return html.trim();
  if (html.length > MAX_PAGE_CHARS) return toPlainText(html).trim();
  return writeWholePage(html, { mode: "markdown" }).text.trim();
}
