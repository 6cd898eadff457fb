/** Turns the XML of a feed or a sitemap into Markdown, entry by entry, as it arrives. */
import type { DocumentFacts } from "../handler.ts";
import { writeWholePage } from "../html/page.ts";
import { toPlainText } from "../html/plain-text.ts";
import { scanXml, XmlLimitError, type XmlTag } from "../xml/scan-xml.ts";

/** The elements that are one entry each, and the text of its parts by the name of its element. */
const entryNames: ReadonlySet<string> = new Set(["item", "entry", "url", "sitemap"]);

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
  #part = "";
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
    if (this.#entry === undefined && entryNames.has(name)) {
      if (!this.#isHeaded) this.#written += this.#writeHead();
      this.#entry = {};
    }
    this.#part = name;
    const href = name === "link" ? tag.get("href") : undefined;
    if (href !== undefined && /^(alternate)?$/.test(tag.get("rel") ?? "")) this.#parts.link ??= href;
  }

  #close(name: string): void {
    if (this.#entry !== undefined && entryNames.has(name)) {
      this.#written += writeEntry(this.#entry);
      this.#entry = undefined;
    }
    this.#part = "";
  }

  get #parts(): Record<string, string> {
    return this.#entry ?? this.#feed;
  }

  #add(text: string): void {
    if (this.#part === "") return;
    const before = this.#parts[this.#part] ?? "";
    if (before.length < MAX_PART_CHARS) this.#parts[this.#part] = (before + text).slice(0, MAX_PART_CHARS);
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
