/** The words in class names and ids that say what an element is for. */

import { headings, wordSet } from "../tree/tags.ts";
import { type Element, flatText } from "../tree/tree.ts";
import { weights } from "../weights.ts";
import { consentTools, insertedTools } from "./generators.ts";

/** What the name of an element says: never content, content only if it reads like it, or nothing. */
export type NameVerdict =
  | "never"
  | "notice"
  | "signature"
  | "boilerplate"
  | "comments"
  | "reviews"
  | "shop"
  | "author"
  | "doubtful"
  | "none";

/** Words for parts of a site rather than of a page: dropped unless most of the page's text stands there. */
const boilerplateWords = wordSet(
  "nav navbar navigation navigations gnav subnav sidenav topnav mainnav menu menus mainmenu submenu megamenu flyout sidebar sidepanel footer foot colophon " +
    "breadcrumb breadcrumbs crumbs masthead topbar copyright social socials sharing " +
    "related recommended recommendations recirculation suggested trending popular " +
    "newsletter subscribe subscription signup optin modal popup lightbox tooltip popover " +
    "ad ads advert adverts advertisement advertising adslot sponsor sponsored dfp login signin register logged minicart " +
    "pagination pager paginator skip skiplink skiplinks backtotop legal disclaimer " +
    "commentform respond vcard reactions feedback switcher",
);

/** Words that stand on content as often as on the rest: dropped when the text is short or mostly links. */
const doubtfulWords = wordSet(
  "cart basket promo promotion banner share toc widget widgets toolbar search tags tag taxonomy meta bio authorbox more cta teaser sticky float " +
    "actions buttons button controls control account filters filter facet facets sort options dropdown drawer mega overlay " +
    "header prev previous next pagenav postnav rating ratings rss feed feeds icons icon lang language languages country currency " +
    "contact help support profile avatar badge badges loading spinner edit jump",
);

/** Notices that cover the page: dropped unless they are most of it. */
const noticeWords = wordSet("consent gdpr ccpa");
const cookieNotice =
  /cookie.?(?:consent|banner|notice|bar|popup|modal|message|overlay|law|dialog|alert)|(?:consent|banner|notice|bar|popup|modal|accept).?cookie/i;
const reviewWords = wordSet("review reviews ratings questions qa qna");
/** Parts of a shop rather than of the thing it sells. */
const shopWords = wordSet("warranty bundle bundles variations recommend recommends suggest suggestions financing");

/** Who wrote it: one line below an article, the attribution of every post of a forum. */
const authorWords = wordSet("author byline username");
const commentWords = wordSet("comment comments commentlist disqus");
/** What members of a forum put below each of their posts; in a reference it is what a function looks like. */
const signatureWords = wordSet("signature signatures");

/** Class names that style sheets give to what only screen readers meet. */
const unseenNames = wordSet(
  "sr-only visually-hidden visuallyhidden screen-reader-text screen-reader-only screenreader-only screen-reader u-visually-hidden element-invisible assistive-text offscreen is-visually-hidden visuallyHidden a11y-hidden nocontent",
);

/** Whether the class of an element says that only screen readers meet it. */
export function isUnseenName({ attributes: { class: className } }: Element): boolean {
  return (
    className !== undefined &&
    unseenHint.test(className) &&
    className.split(/\s+/).some((name) => unseenNames.has(name))
  );
}
const unseenHint = /sr-only|hidden|screen|invisible|assistive/i;

const neverNamed = wordSet(
  "html body main article a p span em strong b i pre code table thead tbody tr td th h1 h2 h3 h4 h5 h6 summary figcaption",
);

/** Whether the name of an element counts: not that of a line of text, a part of a heading, nor of code and tables. */
export function isNamed({ tag, parent }: Element): boolean {
  return !neverNamed.has(tag) && !(parent !== null && headings.has(parent.tag));
}

/** Tells what the class names and the id of an element say about it. */
export type NameJudge = (element: Element) => NameVerdict;

/** A judge for one page: names repeat there, so each is taken apart once. */
export function createNameJudge(): NameJudge {
  const known = new Map<string, NameVerdict>();
  const verdictOf = (className: string, id: string): NameVerdict => {
    if (className === "" && id === "") return "none";
    const key = id === "" ? className : `${className} ${id}`;
    const verdict = known.get(key) ?? judge([...className.split(/\s+/).slice(0, mostNames), id]);
    known.set(key, verdict);
    return verdict;
  };
  return (element) => {
    const { class: className = "", id = "" } = element.attributes;
    const verdict = verdictOf(className, id);
    return verdict !== "none" && isSlug(element) ? verdictOf(className, "") : verdict;
  };
}

const mostNames = 40;

/** An id made from the words of a heading is about what the section says. Blogs call the comments below by their name. */
function isSlug({ tag, attributes: { id = "" }, children }: Element): boolean {
  if (id === "" || id.split(/[-_]/).length > weights.names.maxIdWords) return true;
  const first = children.find((child) => typeof child !== "string");
  if (first === undefined || !headings.has(first.tag)) return false;
  if (tag === "section") return true;
  return !commentWords.has(id) && partsOf(flatText(first, longestSlugChars)).join("-") === partsOf(id).join("-");
}

const longestSlugChars = 80;

function judge(names: readonly string[]): NameVerdict {
  if (names.some((name) => unseenNames.has(name))) return "never";
  const found = names.flatMap(outerWords);
  if (found.some((word) => consentTools.has(word))) return "never";
  if (found.some((word) => noticeWords.has(word)) || names.some((name) => cookieNotice.test(name))) return "notice";
  if (found.some((word) => boilerplateWords.has(word) || insertedTools.has(word))) return "boilerplate";
  if (found.some((word) => signatureWords.has(word))) return "signature";
  if (found.some((word) => commentWords.has(word))) return "comments";
  if (names.some(namesReviews)) return "reviews";
  if (names.some((name) => partsOf(name).some((part) => shopWords.has(part)))) return "shop";
  if (found.some((word) => authorWords.has(word))) return "author";
  return found.some((word) => doubtfulWords.has(word)) ? "doubtful" : "none";
}

/** Shops name the parts of a review in many ways (`ti-review-item`), so the word counts anywhere. */
function namesReviews(name: string): boolean {
  return /review|ratings|questions|qa|qna/i.test(name) && partsOf(name).some((part) => reviewWords.has(part));
}

/** The first and the last word of every class token and of the id, in lower case. */
export function words(className: string, id: string): readonly string[] {
  return className === "" && id === "" ? [] : `${className} ${id}`.split(/\s+/).slice(0, mostNames).flatMap(outerWords);
}

function outerWords(name: string): readonly string[] {
  // Utility classes (`md:hidden`, `top-[var(--nav-height)]`) tell how an element looks, not what it is.
  if (name === "" || name.length > weights.names.maxNameChars || /[:[\]/()]/.test(name)) return [];
  const parts = partsOf(name);
  const [first, last] = [parts[0], parts.at(-1)];
  if (first === undefined || last === undefined) return [];
  // `category-social` tells what a post is about, not what it is.
  return first === last || first === "category" || first === "tag" ? [first] : [first, last];
}

function partsOf(name: string): readonly string[] {
  return name
    .replace(/([a-z])([A-Z])/g, "$1-$2")
    .toLowerCase()
    .split(/[^a-z]+/)
    .filter((part) => part !== "");
}
