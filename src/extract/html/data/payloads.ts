/** Reads the data in a page's scripts: facts about the page (JSON-LD), and the content that scripts would show. */

import { isRecord } from "../../../system/json-values.ts";
import { wordSet } from "../tree/tags.ts";
import type { Page, Payload } from "../tree/tree.ts";
import { readFlight } from "./flight.ts";
import { parseJson } from "./page-json.ts";
import { collectStrings, findProse, type Prose } from "./prose-in-json.ts";

/** A thing that JSON-LD describes, such as an article or a product. */
export type Thing = Readonly<Record<string, unknown>>;

/** Limits the work on JSON-LD that describes a whole catalogue. */
const MAX_THINGS = 500;

const bodyKeys = wordSet("articleBody text description reviewBody");

const thingsByPage = new WeakMap<Page, readonly Thing[]>();

/** The things that the page's JSON-LD describes, including those inside a graph or a list. Read once per page. */
export function listThings(page: Page): readonly Thing[] {
  const things = thingsByPage.get(page) ?? readThings(page);
  thingsByPage.set(page, things);
  return things;
}

function readThings(page: Page): readonly Thing[] {
  const things: Thing[] = [];
  const stack = textsOf(page, "json-ld").map(parseJson);
  stack.reverse();
  for (let next = stack.pop(); stack.length > 0 || next !== undefined; next = stack.pop()) {
    if (things.length >= MAX_THINGS) break;
    if (Array.isArray(next)) stack.push(...next.slice(0, MAX_THINGS).reverse());
    else if (isRecord(next)) {
      things.push(next);
      stack.push(next.mainEntity, next["@graph"]);
    }
  }
  return things;
}

/** The longest body of an article in the page's JSON-LD, or "". */
export function findArticleBody(page: Page): string {
  const strings = textsOf(page, "json-ld").flatMap((text) => collectStrings(parseJson(text)));
  return findLongest(strings.filter(({ key }) => bodyKeys.has(key)).map(({ text }) => text));
}

/** The longest description of a product in the page's JSON-LD, or "". */
export function findProductDescription(page: Page): string {
  const products = listThings(page).filter((thing) => thing["@type"] === "Product");
  return findLongest(products.map(({ description }) => (typeof description === "string" ? description : "")));
}

/** The content in the data of a framework: HTML made from its elements, and the prose in the rest. */
type PayloadContent = Prose & { readonly html: string };

/** Reads the data of Next, Nuxt and React server components, in its order. */
export function readPayloadContent(page: Page): PayloadContent {
  const { html, data } = readFlight(textsOf(page, "flight"));
  const strings = [...textsOf(page, "json").map(parseJson), ...data].flatMap(collectStrings);
  return { html, ...findProse(strings) };
}

function textsOf({ payloads }: Page, payloadKind: Payload["kind"]): readonly string[] {
  return payloads.filter(({ kind }) => kind === payloadKind).map(({ text }) => text);
}

function findLongest(texts: readonly string[]): string {
  return texts.reduce((best, text) => (text.length > best.length ? text : best), "");
}
