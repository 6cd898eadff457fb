/** What is known about the programs that make pages: how to tell them, and what in their pages is content or not. */

import { wordSet } from "../tree/tags.ts";
import type { Element, Page } from "../tree/tree.ts";

export type Generator = {
  readonly name: string;
  /** The kind of its pages, one of `PageKind`. */
  readonly kind: "documentation" | "forum" | "product";
  readonly matches: (page: Page) => boolean;
  /** Class names, ids and test ids of parts that are never content. */
  readonly drops: readonly string[];
  /** Class names of parts that are content whatever they are called. */
  readonly keeps?: readonly string[];
};

/** What surrounds threads and files alike on GitHub. */
const forgeDrops = [
  "Layout-sidebar",
  "partial-discussion-sidebar",
  "issue-viewer-metadata-pane",
  "issue-metadata-sticky",
  "gh-header-sticky",
  "gh-header-actions",
  "timeline-comment-actions",
  "comment-reactions",
  "js-comment-edit-history",
  "discussion-timeline-actions",
  "signed-out-comment",
  "js-signed-out-comment",
  "TimelineItem-avatar",
  "js-stale-session-flash",
] as const;

/** Looked through in order; the first match counts. */
export const generators: readonly Generator[] = [
  {
    name: "Discourse",
    kind: "forum",
    matches: named(/^discourse/i),
    drops: [
      "topic-map",
      "post-menu-area",
      "topic-category",
      "post-likes",
      "crawler-linkback-list",
      "more-topics__container",
      "more-topics__list",
    ],
    keeps: ["crawler-post-meta"],
  },
  {
    name: "phpBB",
    kind: "forum",
    matches: (page) => rootOrBody(page, (element) => element.attributes.id === "phpbb"),
    drops: ["postprofile", "signature", "post-buttons", "action-bar", "jumpbox", "notice"],
  },
  {
    name: "XenForo",
    kind: "forum",
    matches: (page) => rootOrBody(page, (element) => element.attributes.id === "XF"),
    drops: [
      "message-avatar",
      "message-userTitle",
      "message-userBanner",
      "message-userExtras",
      "userBanner",
      "userTitle",
      "message-attribution-opposite",
      "message-signature",
      "actionBar",
      "message-actionBar",
      "bbCodeBlock-expandLink",
      "p-description",
      "message-lastEdit",
    ],
  },
  {
    name: "Invision",
    kind: "forum",
    matches: (page) => rootOrBody(page, (element) => /\bipsApp\b|\bipsLayout/.test(element.attributes.class ?? "")),
    drops: [
      "cAuthorPane_info",
      "cAuthorPane_photo",
      "cTopicOverviewContainer",
      "ipsEntry__authorStats",
      "ipsEntry__authorGroup",
      "ipsComment_tools",
      "ipsComment_controls",
      "ipsPageHeader__meta",
    ],
  },
  {
    name: "vBulletin",
    kind: "forum",
    matches: named(/^vbulletin/i),
    drops: ["userinfo_extra", "usertitle", "signature", "signaturecontainer", "postfoot", "threadtools"],
  },
  {
    name: "Stack Exchange",
    kind: "forum",
    matches: (page) => rootOrBody(page, (element) => hasClass(element, "question-page")),
    drops: [
      "d-none",
      "aside-cta",
      "js-voting-container",
      "js-post-menu",
      "post-taglist",
      "user-gravatar32",
      "-flair",
      "comment-score",
      "comments-link",
      "js-add-link",
      "post-form",
      "js-bottom-notice",
      "js-sort-preference-change",
    ],
    keeps: ["post-signature"],
  },
  {
    name: "Hacker News",
    kind: "forum",
    matches: (page) => page.elements.some(({ attributes }) => attributes.id === "hnmain"),
    drops: ["pagetop", "yclinks", "votelinks", "navs", "reply"],
  },
  {
    name: "GitHub, a thread",
    kind: "forum",
    matches: (page) => isForge(page) && /\/(?:issues|pull|discussions)\/\d+/.test(metaContent(page, "og:url")),
    drops: [...forgeDrops],
    keeps: ["timeline-comment-header", "gh-header-show", "gh-header-title"],
  },
  {
    name: "GitHub, a document",
    kind: "documentation",
    matches: (page) => isForge(page) && page.elements.some(isRenderedFile),
    drops: [...forgeDrops, "file-navigation", "BorderGrid"],
  },
  {
    name: "WooCommerce",
    kind: "product",
    matches: (page) => rootOrBody(page, (element) => hasClass(element, "single-product")),
    drops: [],
  },
  {
    name: "MediaWiki",
    kind: "documentation",
    matches: named(/^mediawiki/i),
    drops: [
      "mw-editsection",
      "mw-cite-backlink",
      "navbox",
      "catlinks",
      "mw-jump-link",
      "vector-toc",
      "printfooter",
      "reference-text-hidden",
      "mw-indicators",
      "siteSub",
      "siteNotice",
    ],
  },
  {
    name: "Docusaurus",
    kind: "documentation",
    matches: named(/^docusaurus/i),
    drops: [
      "theme-doc-toc-mobile",
      "theme-doc-toc-desktop",
      "theme-doc-breadcrumbs",
      "pagination-nav",
      "theme-doc-footer",
      "hash-link",
    ],
  },
  {
    name: "rustdoc",
    kind: "documentation",
    matches: named(/^rustdoc$/i),
    drops: ["out-of-band", "src", "anchor", "doc-anchor", "hideme"],
  },
  {
    name: "MkDocs",
    kind: "documentation",
    matches: named(/^mkdocs/i),
    drops: ["headerlink", "md-source-file", "md-content__button"],
  },
  {
    name: "Sphinx",
    kind: "documentation",
    matches: (page) =>
      page.elements.some((element) => hasClass(element, "sphinxsidebar") || hasClass(element, "wy-nav-content")),
    drops: ["headerlink", "sphinxsidebar", "rst-footer-buttons"],
  },
];

/** Words in the names that programs for consent give to their notices. */
export const consentTools = wordSet("onetrust truste usercentrics didomi");

/** Class names of what shows over code while a pointer rests on it (Verso). */
export const codeOverlays = wordSet("hover-info hover-container");

/** Words in the names of what is put into pages by other programs: advertisements, buttons to share, forms. */
export const insertedTools = wordSet(
  "outbrain taboola sharethis addtoany addthis adsbygoogle colorbox gform gfield wpcf",
);

const known = new WeakMap<Page, { readonly generator: Generator | undefined }>();

/** The program that made a page, if it is a known one. */
export function generatorOf(page: Page): Generator | undefined {
  const found = known.get(page) ?? { generator: generators.find(({ matches }) => matches(page)) };
  known.set(page, found);
  return found.generator;
}

/** The content of the first meta element of a name or property, or "". */
export function metaContent(page: Page, name: string): string {
  return (
    page.elements.find((element) => element.tag === "meta" && isMetaNamed(element, name))?.attributes.content ?? ""
  );
}

function isMetaNamed({ attributes }: Element, name: string): boolean {
  return attributes.name?.toLowerCase() === name || attributes.property?.toLowerCase() === name;
}

function isForge(page: Page): boolean {
  return metaContent(page, "og:site_name") === "GitHub";
}

function isRenderedFile(element: Element): boolean {
  return element.tag === "article" && hasClass(element, "markdown-body");
}

function named(pattern: RegExp): (page: Page) => boolean {
  return (page) =>
    page.elements.some(
      ({ tag, attributes }) =>
        tag === "meta" && attributes.name === "generator" && pattern.test(attributes.content ?? ""),
    );
}

function rootOrBody(page: Page, test: (element: Element) => boolean): boolean {
  const body = page.elements.find((element) => element.tag === "body");
  return test(page.root) || (body !== undefined && test(body));
}

/** Whether an element has a name as its id, its test id or one of its classes. */
export function isCalled(element: Element, name: string): boolean {
  const { id, "data-testid": testId } = element.attributes;
  return id === name || testId === name || hasClass(element, name);
}

export function hasClass(element: Element, name: string): boolean {
  const className = element.attributes.class;
  return className?.includes(name) === true && className.split(/\s+/).includes(name);
}
