/** Classifies elements by the words in their class names and ids. */

import { headingTags, wordSet } from "../tree/tags.ts";
import { collectText, type Element } from "../tree/tree.ts";
import { htmlWeights } from "../weights.ts";
import { consentTools, insertedTools } from "./generators.ts";

/** What a name says about an element, the most certain first. */
const nameClasses = [
  "never",
  "notice",
  "boilerplate",
  "signature",
  "comments",
  "reviews",
  "shop",
  "author",
  "doubtful",
] as const;
/** What the names of an element say about it; "none" says nothing. */
type NameClass = (typeof nameClasses)[number] | "none";

/** Words for parts of a site rather than of a page: dropped unless most of the page's text is there. */
const boilerplateWords = wordSet(
  "nav navbar navigation navigations gnav subnav sidenav topnav mainnav menu menus mainmenu submenu megamenu flyout sidebar sidepanel footer foot colophon " +
    "breadcrumb breadcrumbs crumbs masthead topbar copyright social socials sharing " +
    "related recommended recommendations recirculation suggested trending popular " +
    "newsletter subscribe subscription signup optin modal popup lightbox tooltip popover " +
    "ad ads advert adverts advertisement advertising adslot sponsor sponsored dfp login signin register logged minicart " +
    "pagination pager paginator skip skiplink skiplinks backtotop legal disclaimer " +
    "commentform respond vcard reactions feedback switcher",
);

/** Words that name content as often as boilerplate: dropped if the text is short or mostly links. */
const doubtfulWords = wordSet(
  "cart basket promo promotion banner share toc widget widgets toolbar search tags tag taxonomy meta more cta teaser sticky float " +
    "actions buttons button controls control account filters filter facet facets sort options dropdown drawer mega overlay " +
    "header prev previous next pagenav postnav rating ratings rss feed feeds icons icon lang language languages country currency " +
    "contact help support profile avatar badge badges loading spinner edit jump",
);

/** Notices that cover the page: dropped unless most of the text is there. */
const noticeWords = wordSet("consent gdpr ccpa");
const cookieNotice =
  /cookie.?(?:consent|banner|notice|bar|popup|modal|message|overlay|law|dialog|alert)|(?:consent|banner|notice|bar|popup|modal|accept).?cookie/i;
const reviewWords = wordSet("review reviews ratings questions qa qna");
/** Parts of a shop rather than of its product. */
const shopWords = wordSet("warranty bundle bundles variations recommend recommends suggest suggestions financing");

/** The author: one line of an article, or the attribution of every post in a forum. */
const authorWords = wordSet("author byline username bio authorbox");
const commentWords = wordSet("comment comments commentlist disqus");
/** The line below each post of a forum member; in a reference it is the signature of a function. */
const signatureWords = wordSet("signature signatures");

/** Class names for text that only screen readers present. */
const screenReaderNames = wordSet(
  "sr-only visually-hidden visuallyhidden screen-reader-text screen-reader-only screenreader-only screen-reader u-visually-hidden element-invisible assistive-text offscreen is-visually-hidden visuallyHidden a11y-hidden nocontent",
);

/** Whether the class of an element says that only screen readers present it. */
export function hasScreenReaderName({ attributes: { class: className } }: Element): boolean {
  return (
    className !== undefined &&
    screenReaderHint.test(className) &&
    className.split(/\s+/).some((name) => screenReaderNames.has(name))
  );
}
const screenReaderHint = /sr-only|hidden|screen|invisible|assistive/i;

const meaninglessTags = wordSet(
  "html body main article a p span em strong b i pre code table thead tbody tr td th dl h1 h2 h3 h4 h5 h6 summary figcaption",
);

/** Whether the name of an element means anything: not on text, inside headings, or on code and tables. */
export function hasMeaningfulName({ tag, parent }: Element): boolean {
  return !meaninglessTags.has(tag) && !(parent !== null && headingTags.has(parent.tag));
}

/** Classifies an element by its class names and its id. */
export type NameClassifier = (element: Element) => NameClass;

/** Makes a classifier for one page. Names repeat there, alone and together, so each is split only once. */
export function createNameClassifier(): NameClassifier {
  const classesOfOne = new Map<string, NameClass>();
  const classifyOne = (name: string): NameClass => {
    const nameClass = classesOfOne.get(name) ?? classifyName(name);
    classesOfOne.set(name, nameClass);
    return nameClass;
  };
  const classes = new Map<string, NameClass>();
  const classify = (className: string, id: string): NameClass => {
    if (className === "" && id === "") return "none";
    const key = id === "" ? className : `${className} ${id}`;
    const nameClass = classes.get(key) ?? classifyNames(className, id, classifyOne);
    classes.set(key, nameClass);
    return nameClass;
  };
  return (element) => {
    const { class: className = "", id = "" } = element.attributes;
    const nameClass = classify(className, id);
    return nameClass !== "none" && isHeadingId(element) ? classify(className, "") : nameClass;
  };
}

/** What the names of an element say: the first of the classes that one of them has. */
function classifyNames(className: string, id: string, classifyOne: (name: string) => NameClass): NameClass {
  const found = new Set(isMinified(className) ? [] : className.split(/\s+/).slice(0, MAX_NAMES).map(classifyOne));
  if (id !== "") found.add(classifyOne(id));
  return nameClasses.find((nameClass) => found.has(nameClass)) ?? "none";
}

/** Whether a program gave an element several names of two letters; `qa` and `ad` say nothing then. */
function isMinified(className: string): boolean {
  return /^\s*(?:[a-z]{1,2}\s+)+[a-z]{1,2}\s*$/.test(className);
}

/** Class names of one element beyond this number are ignored. */
const MAX_NAMES = 40;

/** An id made from the words of a heading says what the section is about, except for the comments below a blog post. */
function isHeadingId({ tag, attributes: { id = "" }, children }: Element): boolean {
  if (id === "" || id.split(/[-_]/).length > htmlWeights.names.maxIdWords) return true;
  const first = children.find((child) => typeof child !== "string");
  if (first === undefined || !headingTags.has(first.tag)) return false;
  if (tag === "section") return true;
  return !commentWords.has(id) && splitName(collectText(first, MAX_SLUG_CHARS)).join("-") === splitName(id).join("-");
}

const MAX_SLUG_CHARS = 80;

function classifyName(name: string): NameClass {
  if (screenReaderNames.has(name)) return "never";
  const allWords = splitName(name);
  const words = praise.test(name) ? outerWords(name) : outerOf(name, allWords);
  const hasWord = (list: ReadonlySet<string>) => words.some((word) => list.has(word));
  if (hasWord(consentTools)) return "never";
  if (hasWord(noticeWords) || cookieNotice.test(name)) return "notice";
  if (hasWord(boilerplateWords) || hasWord(insertedTools)) return "boilerplate";
  if (hasWord(signatureWords)) return "signature";
  if (hasWord(commentWords)) return "comments";
  // Shops name the parts of a review in many ways (`ti-review-item`), so the word counts anywhere.
  if (allWords.some((word) => reviewWords.has(word))) return "reviews";
  if (allWords.some((word) => shopWords.has(word))) return "shop";
  if (hasWord(authorWords)) return "author";
  return hasWord(doubtfulWords) ? "doubtful" : "none";
}

/** Elements with the same tag and class are similar: entries of one list, cards of one row. */
export function tagAndClass({ tag, attributes }: Element): string {
  return `${tag} ${attributes.class ?? ""}`;
}

/** The first and the last word of every class name and of the id, in lower case. */
export function listNameWords(className: string, id: string): readonly string[] {
  return className === "" && id === "" ? [] : `${className} ${id}`.split(/\s+/).slice(0, MAX_NAMES).flatMap(outerWords);
}

function outerWords(name: string): readonly string[] {
  return outerOf(name, splitName(name.replace(praise, "")));
}

/** The first and the last of the words of a name. */
function outerOf(name: string, words: readonly string[]): readonly string[] {
  // Utility classes (`md:hidden`, `top-[var(--nav-height)]`) say how an element looks, not what it is.
  if (name === "" || name.length > htmlWeights.names.maxNameChars || /[:[\]/()]/.test(name)) return [];
  const [first, last] = [words[0], words.at(-1)];
  if (first === undefined || last === undefined) return [];
  // `category-social` says what a post is about, not what it is.
  return first === last || first === "category" || first === "tag" ? [first] : [first, last];
}

/** A modifier that praises one of several boxes: `plan--popular` is a plan, not a list of popular pages. */
const praise = /--(?:popular|recommended|suggested)$/i;

/** The words of a class name or an id in lower case: `siteNav-main` has three. */
function splitName(name: string): readonly string[] {
  if (/^[a-z]+$/.test(name)) return [name];
  const separated = /[A-Z]/.test(name) ? name.replace(/([a-z])([A-Z])/g, "$1-$2").toLowerCase() : name;
  const words = (separated.match(/[a-z\d]+/g) ?? []).map(dropNumber).filter((word) => word !== "");
  return isGenerated(name, words) ? [] : words;
}

/** Without a number around it: `ad2` is a word, `28addc53ad` an identifier that a program made. */
function dropNumber(part: string): string {
  return part.replace(/^([a-z]*)\d+$/, "$1");
}

/** Whether a tool made a name such as `ezQaGx`: letters in mixed case without a word among them. */
function isGenerated(name: string, words: readonly string[]): boolean {
  return words.length >= 3 && words.every((word) => word.length < 3) && /[a-z][A-Z]/.test(name);
}
