/** What a page carries as data in its scripts: facts about it (JSON-LD), and the content that scripts would show. */

import { wordSet } from "../tree/tags.ts";
import type { Element, Page, Payload } from "../tree/tree.ts";
import { parseJson, readFlight } from "./flight.ts";
import { stringsIn, type Told, tellTexts } from "./prose-in-json.ts";

/** A thing that structured data describes. */
export type Thing = Readonly<Record<string, unknown>>;

/** The payload in a script element, if there is one. */
export function payloadOf({ attributes }: Element, text: string): Payload | undefined {
  const { type = "", id = "" } = attributes;
  if (/ld\+json/i.test(type)) return { kind: "json-ld", text: unwrapped(text) };
  if (id === "__NEXT_DATA__" || id === "__NUXT_DATA__") return { kind: "json", text };
  return /^\s*(?:self|window|\(self)\.__next_f\b/.test(text) ? { kind: "flight", text } : undefined;
}

/** JSON without what hides it from old browsers and XML, and without the raw line breaks that no JSON may have. */
function unwrapped(text: string): string {
  const bare = text.trim().replace(/^(?:\/\/|\/\*)?\s*(?:<! ?\[CDATA\[|<!--)\s*(?:\*\/)?/, "");
  const ending = bare.slice(-longestEnding);
  const end = ending.search(/(?:\/[/*]\s*)?(?:\]\]>|-->)/);
  return bare.slice(0, end < 0 ? undefined : bare.length - ending.length + end).replace(/[\n\r\t]/g, " ");
}
const longestEnding = 20;

const mostThings = 500;

/** The things that the page's JSON-LD describes, those inside a graph or a list among them. */
export function describedThings({ payloads }: Page): readonly Thing[] {
  const found: Thing[] = [];
  const stack = payloads.filter(({ kind }) => kind === "json-ld").map(({ text }) => parseJson(text));
  stack.reverse();
  for (let next = stack.pop(); stack.length > 0 || next !== undefined; next = stack.pop()) {
    if (found.length >= mostThings) break;
    if (Array.isArray(next)) stack.push(...next.slice(0, mostThings).reverse());
    else if (isThing(next)) {
      found.push(next);
      stack.push(next.mainEntity, next["@graph"]);
    }
  }
  return found;
}

function isThing(value: unknown): value is Thing {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The body of the article as JSON-LD tells it, or "". */
export function articleBody({ payloads }: Page): string {
  const told = payloads.filter(({ kind }) => kind === "json-ld").flatMap(({ text }) => stringsIn(parseJson(text)));
  return longest(told.filter(({ key }) => bodyKeys.has(key)).map(({ text }) => text));
}

const bodyKeys = wordSet("articleBody text description reviewBody");

/** What JSON-LD says of the product a page sells, or "". */
export function productDescription(page: Page): string {
  const products = describedThings(page).filter((thing) => thing["@type"] === "Product");
  return longest(products.map(({ description }) => (typeof description === "string" ? description : "")));
}

/** The text in the data a framework hands to its scripts: markup that stands for elements, and paragraphs. */
export type PayloadContent = Told & { readonly html: string };

/** Reads the data of Next, Nuxt and React server components, in its order. */
export function payloadContent({ payloads }: Page): PayloadContent {
  const textsOf = (wanted: Payload["kind"]) => payloads.filter(({ kind }) => kind === wanted).map(({ text }) => text);
  const { html, data } = readFlight(textsOf("flight"));
  const said = [...textsOf("json").map(parseJson), ...data].flatMap(stringsIn);
  return { html, ...tellTexts(said) };
}

function longest(texts: readonly string[]): string {
  return texts.reduce((best, text) => (text.length > best.length ? text : best), "");
}
