/** Builds the pages of docs/ as static HTML with a search. It works from a folder, without a server and without a network. */
import { copyFile, cp, mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { version } from "../../src/version.ts";
import { escapeHtml, renderMarkdown } from "./render-markdown.ts";
import { groupPages, listSitePages, type PageGroup, type SitePage } from "./site-pages.ts";

const root = join(import.meta.dirname, "..", "..");
const assets = join(import.meta.dirname, "assets");

/** Writes the site into a folder and returns the names of its pages. */
export async function buildSite(folder: string): Promise<readonly string[]> {
  const pages = await listSitePages();
  const groups = groupPages(pages);
  await mkdir(folder, { recursive: true });
  const entries: SearchEntry[] = [];
  for (const page of pages) {
    const { html, sections } = renderMarkdown(page, pages);
    await writeFile(join(folder, page.file), renderPage(page, html, groups));
    for (const { heading, id, text } of sections) entries.push([page.file, page.title, id, heading, text]);
  }
  // A script and not JSON, because a page that is opened as a file may not fetch another one.
  await writeFile(join(folder, "search-index.js"), `globalThis.searchIndex = ${JSON.stringify(entries)};\n`);
  for (const name of await readdir(assets)) await copyFile(join(assets, name), join(folder, name));
  await cp(join(root, "docs", "images"), join(folder, "images"), { recursive: true });
  return pages.map(({ file }) => file);
}

/** File, title of the page, id and heading of the section, its text. */
type SearchEntry = readonly [file: string, title: string, id: string, heading: string, text: string];

function renderPage({ file, title }: SitePage, html: string, groups: readonly PageGroup[]): string {
  const name = title === "Spillway documentation" ? title : `${title} · Spillway`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(name)}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="style.css">
<script src="search-index.js" defer></script>
<script src="search.js" defer></script>
</head>
<body>
<a class="skip" href="#content">Skip to the text</a>
<header>
<a class="home" href="index.html">Spillway</a> <span class="version">${version}</span>
<form role="search" id="search"><label for="query">Search</label><input id="query" type="search" autocomplete="off" aria-controls="results"></form>
</header>
<div id="results" role="region" aria-label="Search results" aria-live="polite" hidden></div>
<div class="columns">
<nav aria-label="Pages">${renderNavigation(file, groups)}</nav>
<main id="content">
${html}</main>
</div>
</body>
</html>
`;
}

function renderNavigation(file: string, groups: readonly PageGroup[]): string {
  const lists = groups.map(({ title, pages }) => {
    const items = pages.map(
      (page) =>
        `<li><a href="${page.file}"${page.file === file ? ' aria-current="page"' : ""}>${escapeHtml(shorten(page.title))}</a></li>`,
    );
    return `<h2>${escapeHtml(title)}</h2>\n<ul>\n${items.join("\n")}\n</ul>`;
  });
  return `<details open><summary>Pages</summary>\n${lists.join("\n")}\n</details>`;
}

/** A title without what its group says already. */
const shorten = (title: string): string =>
  title.replace(/^(?:The |Start )/, "").replace(/^./, (first) => first.toUpperCase());
