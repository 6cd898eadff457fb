/** Short lines that are never content: marks of advertisements, requests to sign in, and controls of a page or thread. */

import { wordsOf } from "../tree/letters.ts";
import { headingTags, inlineTags } from "../tree/tags.ts";
import { collectText, type Element } from "../tree/tree.ts";
import { htmlWeights } from "../weights.ts";
import type { Measures } from "./text-measures.ts";

const { maxAdvertisementChars, maxControlChars, maxLineElements } = htmlWeights.shortLines;

/** Lines around an advertisement, in the languages of the sites that have them. */
const advertisementLine = new RegExp(
  [
    "advertise?ments?|advertising|sponsored( content)?|ads?|ad feedback|skip (ad|advertisement)",
    "(continue|keep) reading (the main story|below)|(story|article|text|post|content) continues (below|after)( (this|the))?( (ad|ads|advertisement))?",
    "scroll to continue( with content)?|(advertisement )?scroll to continue( reading)?",
    "anzeige|werbung|publicité|publicidad|publicidade|pubblicità|advertentie|reklama|реклама|広告|廣告|广告|광고",
  ]
    .map((phrase) => `(?:${phrase})`)
    .join("|")
    .replace(/^/, "^(?:")
    .replace(/$/, ")$"),
);

/** An element that is a short line of text: a block, a link or the label of a control. */
export type ShortLine = { readonly element: Element; readonly words: string; readonly chars: number };

/** Reads an element with a short text; undefined for every other one. */
export function readShortLine(element: Element, { text }: Measures): ShortLine | undefined {
  const chars = text[element.index] ?? 0;
  if (chars === 0 || chars > maxControlChars) return undefined;
  if (inlineTags.has(element.tag) && element.tag !== "a" && element.tag !== "label") return undefined;
  return { element, words: wordsOf(collectText(element, 4 * maxControlChars)), chars };
}

/** Whether a block or a link is only such a line. */
export function isAdvertisementLine({ element, words, chars }: ShortLine): boolean {
  if (chars > maxAdvertisementChars || hasManyElements(element) || element.tag === "label") return false;
  return advertisementLine.test(words);
}

function hasManyElements({ index, end }: Element): boolean {
  return end - index > maxLineElements;
}

/** What a reader may do with a page, or must do before writing on it. Only a log-in tells this from advice to register. */
const logIn = "(?:be )?(?:log(?:ged)? ?in|signed in|sign in)";
const signUp = "(?:register|sign up|(?:make|create) an account)";
const controlLine = new RegExp(
  [
    "1 (?:out )?(?:of 5 )?stars? ?2 .{0,9}stars ?3 .{0,9}stars ?4 .{0,9}stars ?5 .{0,9}stars",
    "(?:jump to|print|pin|rate)(?: this| the)? recipe|bookmark this (?:page|article|post)",
    `(?:please |you (?:must|need to|have to) )?(?:${signUp} or )*${logIn}(?: or ${signUp})*(?: first)? to (?:answer|reply|comment|post (?:a|your) (?:reply|comment)|join the (?:discussion|conversation))(?: [^ ]+){0,4}`,
  ]
    .join("|")
    .replace(/^/, "^(?:")
    .replace(/$/, ")$"),
);
/** What a control is for. */
const controlLabel = /^(?:sort(?:ed)? by|.{2,40} toggle|toggle .{2,40})$/;

/** Whether a block, a link or a label is only such a line. */
export function isControlLine({ element, words }: ShortLine): boolean {
  if (hasManyElements(element)) return false;
  const isLabel = element.tag === "label";
  if (words === "bookmark" && /\bbookmark/i.test(element.attributes.class ?? "")) return true;
  const isControl = (isLabel ? controlLabel : controlLine).test(words);
  return isControl && (demand.test(words) || !namesWhatFollows(element));
}

/** A sentence that asks a reader for something names nothing, even as a heading. */
const demand = /^(?:please|you (?:must|need to|have to)) /;

/** Whether a line is a heading or the term of a definition, is in one, or has one in it. */
function namesWhatFollows(element: Element): boolean {
  return (element.parent !== null && isTerm(element.parent)) || containsTerm(element);
}

function containsTerm(element: Element): boolean {
  return isTerm(element) || element.children.some((child) => typeof child !== "string" && containsTerm(child));
}

function isTerm({ tag }: Element): boolean {
  return tag === "dt" || headingTags.has(tag);
}

const threadControl =
  /^(?:hide|reply|report|report abuse|share|save|flag|permalink|embed|give award|upvote|downvote|edit|quote|select all|new issue|ask question)$/;
/** What forum software says about a thread, and about those who write in it. */
const threadCount = new RegExp(
  [
    "viewed [\\d ]+[km]? times?|modified .{1,20} ago|sorted by",
    "[\\d ]+ (?:posts?|repl(?:y|ies))|[\\d ]+ posts? [\\d ]+ posters? .{1,15} views? .{0,15}",
    "posts [\\d ]+|join(?:ed| date) .{1,15}|[\\d ]+ posts? joined .{1,15}",
    "original poster|discussion starter|offline|online",
    "click to (?:expand|shrink)|show more replies|not open for further replies",
    "create an account or sign in to comment",
    "this topic has been deleted only users with topic management privileges can see it",
  ]
    .map((phrase) => `(?:${phrase})`)
    .join("|")
    .replace(/^/, "^(?:")
    .replace(/$/, ")$"),
);

/** Whether a link does something to a post of a thread, or a block says something about the thread. */
export function isThreadControl({ element, words }: ShortLine): boolean {
  if (element.tag === "label") return false;
  return (element.tag === "a" ? threadControl : threadCount).test(words);
}
