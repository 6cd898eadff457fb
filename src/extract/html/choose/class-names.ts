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
/** Last words of the names of boxes about the author; `author-note` and `author-response` are by the author. */
const authorBoxWords = wordSet(
  "author byline username bio authorbox box boxes card info profile details section container wrapper wrap",
);
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
    listClassNames(className).some((name) => screenReaderNames.has(name))
  );
}
const screenReaderHint = /sr-only|hidden|screen|invisible|assistive/i;

/** The class names of an element, without those that another one undoes on wide screens: `sr-only md:not-sr-only`. */
function listClassNames(className: string): readonly string[] {
  const names = className.split(/\s+/);
  return shownOnWideScreens.test(className) ? names.filter((name) => !screenReaderNames.has(name)) : names;
}
const shownOnWideScreens = /(?:^|\s)(?:(?:sm|md|lg|xl|2xl):)?not-sr-only(?:\s|$)/;

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
  const classifyOne = memoize(classifyName);
  const classifyClasses = memoize((className) =>
    isMinified(className) ? "none" : classifyNames(listClassNames(className), classifyOne),
  );
  const classify = (className: string, id: string): NameClass => {
    const nameClass = className === "" ? "none" : classifyClasses(className);
    return id === "" ? nameClass : moreCertain(nameClass, classifyOne(id));
  };
  return (element) => {
    const { class: className = "", id = "" } = element.attributes;
    const nameClass = classify(className, id);
    return nameClass !== "none" && isHeadingId(element) ? classify(className, "") : nameClass;
  };
}

type Classify = (name: string) => NameClass;

function memoize(classify: Classify): Classify {
  const classes = new Map<string, NameClass>();
  return (name) => {
    let nameClass = classes.get(name);
    if (nameClass === undefined) {
      nameClass = classify(name);
      classes.set(name, nameClass);
    }
    return nameClass;
  };
}

/** What several names say together. */
function classifyNames(names: readonly string[], classifyOne: Classify): NameClass {
  return names.slice(0, MAX_NAMES).reduce<NameClass>((found, name) => moreCertain(found, classifyOne(name)), "none");
}

function moreCertain(one: NameClass, other: NameClass): NameClass {
  return rankOf(one) <= rankOf(other) ? one : other;
}

function rankOf(nameClass: NameClass): number {
  return nameClass === "none" ? nameClasses.length : nameClasses.indexOf(nameClass);
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
  let nameClass: NameClass = cookieNotice.test(name) ? "notice" : "none";
  for (const word of words) nameClass = moreCertain(nameClass, classesByWord.get(word) ?? "none");
  for (const word of allWords) nameClass = moreCertain(nameClass, classesByAnyWord.get(word) ?? "none");
  return nameClass;
}

/** What the first and the last word of a name say; of the lists with a word, the most certain comes last. */
const classesByWord = listClasses([
  ["doubtful", doubtfulWords],
  ["author", authorWords],
  ["comments", commentWords],
  ["signature", signatureWords],
  ["boilerplate", insertedTools],
  ["boilerplate", boilerplateWords],
  ["notice", noticeWords],
  ["never", consentTools],
]);

/** Shops name the parts of a review in many ways (`ti-review-item`), so these words count anywhere. */
const classesByAnyWord = listClasses([
  ["shop", shopWords],
  ["reviews", reviewWords],
]);

function listClasses(lists: readonly (readonly [NameClass, ReadonlySet<string>])[]): ReadonlyMap<string, NameClass> {
  return new Map(lists.flatMap(([nameClass, words]) => [...words].map((word) => [word, nameClass] as const)));
}

/** Whether an element has the name of a box about an author. */
export function hasAuthorBoxName({ attributes: { class: className = "", id = "" } }: Element): boolean {
  return `${className} ${id}`.split(/\s+/).some((name) => {
    const words = outerWords(name);
    return words.some((word) => authorWords.has(word)) && authorBoxWords.has(words.at(-1) ?? "");
  });
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
  const words = /\d/.test(separated) ? splitNumbered(separated) : (separated.match(/[a-z]+/g) ?? []);
  return isGenerated(name, words) ? [] : words;
}

/** The words of a name with numbers: `ad2` and `ad300x250` have the word `ad`, but `28addc53ad` is an identifier that a program made. */
function splitNumbered(name: string): readonly string[] {
  const parts = name.match(/[a-z\d]+/g) ?? [];
  return parts.map((part) => part.replace(/^([a-z]*)\d+(?:x\d+)?$/, "$1")).filter((part) => part !== "");
}

/** Whether a tool made a name such as `ezQaGx`: letters in mixed case without a word among them. */
function isGenerated(name: string, words: readonly string[]): boolean {
  return words.length >= 3 && words.every((word) => word.length < 3) && /[a-z][A-Z]/.test(name);
}
