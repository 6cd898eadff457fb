/** The HTML extractors this bench compares, ours first. Peers are installed in this folder only. */

import { hasTrafilatura, openTrafilatura } from "./html-python.ts";

/** The main content of a page as Markdown, and what it cost where another process did the work. */
export type PageReading = { readonly text: string; readonly cpuMs?: number };
export type ReadPage = (html: string, url: string) => string | PageReading | Promise<string | PageReading>;
export type Engine = { readonly name: string; load(): Promise<ReadPage> };

export const engines: readonly Engine[] = [
  { name: "ours", load: loadOurs },
  { name: "readability + linkedom + turndown", load: loadReadability },
  { name: "defuddle", load: loadDefuddle },
  { name: "mdream", load: loadMdream },
  ...pythonEngines(process.env.SPILLWAY_PYTHON),
];

function pythonEngines(python: string | undefined): readonly Engine[] {
  return python === undefined || !hasTrafilatura(python)
    ? []
    : [{ name: "trafilatura", load: () => openTrafilatura(python) }];
}

async function loadOurs(): Promise<ReadPage> {
  const { extractHtml } = await import("../src/extract/html/page.ts");
  return (html, url) => extractHtml(html, { url, mode: "markdown" }).text;
}

/** The compiler must not look for packages that may not be installed. */
async function load<T>(specifier: string): Promise<T> {
  return import(specifier);
}

type Linkedom = { parseHTML(html: string): { document: object } };
type Readability = { Readability: new (document: object) => { parse(): { content?: string | null } | null } };
type Turndown = { default: new (options: object) => { turndown(html: string): string } };

async function loadReadability(): Promise<ReadPage> {
  const { parseHTML } = await load<Linkedom>("linkedom");
  const { Readability } = await load<Readability>("@mozilla/readability");
  const { default: TurndownService } = await load<Turndown>("turndown");
  const turndown = new TurndownService({ headingStyle: "atx", codeBlockStyle: "fenced" });
  return (html) => turndown.turndown(new Readability(parseHTML(html).document).parse()?.content ?? "");
}

type Defuddle = {
  Defuddle(input: object, url: string, options: { markdown: boolean }): Promise<{ content: string }>;
};

async function loadDefuddle(): Promise<ReadPage> {
  const { parseHTML } = await load<Linkedom>("linkedom");
  const { Defuddle } = await load<Defuddle>("defuddle/node");
  return async (html, url) => (await Defuddle(parseHTML(html).document, url, { markdown: true })).content;
}

type Mdream = { htmlToMarkdown(html: string, options: { origin: string; minimal: boolean }): string };

async function loadMdream(): Promise<ReadPage> {
  const { htmlToMarkdown } = await load<Mdream>("mdream");
  return (html, url) => htmlToMarkdown(html, { origin: url, minimal: true });
}
