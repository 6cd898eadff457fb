/** Renders the Markdown of a page: links lead to pages of the site, and wide tables and code scroll on their own. */
import { posix } from "node:path";
import { Marked, type Tokens } from "marked";
import { createHeadingIds } from "./heading-ids.ts";
import type { SitePage } from "./site-pages.ts";

/** A part of a page that a search can find. */
export type PageSection = { readonly heading: string; readonly id: string; readonly text: string };

export type RenderedPage = { readonly html: string; readonly sections: readonly PageSection[] };

export function renderMarkdown(page: SitePage, pages: readonly SitePage[]): RenderedPage {
  const sections: { heading: string; id: string; text: string }[] = [];
  const idOf = createHeadingIds();
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth, text }) {
        const id = idOf(text);
        sections.push({ heading: plainText(text), id, text: "" });
        const anchor = depth === 1 ? "" : ` <a class="anchor" href="#${id}" aria-label="Link to this section">#</a>`;
        return `<h${depth} id="${id}">${this.parser.parseInline(tokens)}${anchor}</h${depth}>\n`;
      },
      code({ text, lang }) {
        const lines = escapeHtml(text).split("\n");
        const isConsole = lang?.startsWith("console");
        const code = lines.map((line) => (isConsole && line.startsWith("$ ") ? `<b>${line}</b>` : line)).join("\n");
        return `<pre tabindex="0" role="region" aria-label="${isConsole ? "Commands" : "Code"}"><code>${code}\n</code></pre>\n`;
      },
      table(token: Tokens.Table) {
        const rows = [token.header, ...token.rows].map((cells, index) =>
          cells
            .map(
              (cell) =>
                `<t${index === 0 ? "h" : "d"}>${this.parser.parseInline(cell.tokens)}</t${index === 0 ? "h" : "d"}>`,
            )
            .join(""),
        );
        const [head = "", ...body] = rows.map((row) => `<tr>${row}</tr>`);
        return `<div class="wide" tabindex="0" role="region" aria-label="Table"><table><thead>${head}</thead><tbody>${body.join("\n")}</tbody></table></div>\n`;
      },
      link({ href, tokens }) {
        const text = this.parser.parseInline(tokens);
        const target = findTarget(href, page, pages);
        // Files of the source are not part of the site.
        return target === undefined ? text : `<a href="${escapeHtml(target)}">${text}</a>`;
      },
      image({ href, text }) {
        const file = posix.join(posix.dirname(page.path), href).replace(/^docs\//, "");
        return `<img src="${escapeHtml(file)}" alt="${escapeHtml(text)}" loading="lazy">`;
      },
      html: () => "",
    },
  });
  const html = marked.parse(page.markdown, { async: false });
  addTexts(page.markdown, sections);
  return { html, sections };
}

/** The address in the site of a link, undefined where it leads to a file that the site does not have. */
function findTarget(href: string, page: SitePage, pages: readonly SitePage[]): string | undefined {
  if (/^(?:https?:|mailto:|#)/.test(href)) return href;
  const [path = "", id] = href.split("#");
  const target = posix.normalize(posix.join(posix.dirname(page.path), path));
  const image = target.startsWith("docs/images/") ? target.replace(/^docs\//, "") : undefined;
  const file = pages.find((each) => each.path === target)?.file ?? image;
  return file === undefined ? undefined : `${file}${id === undefined ? "" : `#${id}`}`;
}

/** The text below each heading, without Markdown's signs. */
function addTexts(markdown: string, sections: { text: string }[]): void {
  const parts = splitAtHeadings(markdown);
  for (const [index, section] of sections.entries()) section.text = plainText(parts[index] ?? "");
}

/** A line that begins with # inside a block of code is not a heading. */
function splitAtHeadings(markdown: string): string[] {
  const parts: string[] = [];
  let isCode = false;
  for (const line of markdown.split("\n")) {
    if (/^ *```/.test(line)) isCode = !isCode;
    if (!isCode && /^#+ /.test(line)) parts.push("");
    else if (parts.length > 0) parts[parts.length - 1] += `${line}\n`;
  }
  return parts;
}

const plainText = (markdown: string): string =>
  markdown
    .replaceAll(/<!--[\s\S]*?-->/g, "")
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replaceAll(/^ *```.*$|[`*|]|-{3,}/gm, " ")
    .replaceAll(/\s+/g, " ")
    .trim();

export const escapeHtml = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
