/** What a page carries as data in its scripts: facts about it (JSON-LD), and the content that scripts would show. */
import type { Element, Page } from "./tree.ts";

/** A script that carries the page's content or facts about it as data. */
export type Payload = { readonly kind: "json-ld" | "json" | "flight"; readonly text: string };

/** A thing that structured data describes. */
export type Thing = Readonly<Record<string, unknown>>;

/** The payload in a script element, if there is one. */
export function payloadOf({ attributes }: Element, text: string): Payload | undefined {
  const { type = "", id = "" } = attributes;
  if (/ld\+json/i.test(type)) return { kind: "json-ld", text };
  if (id === "__NEXT_DATA__" || id === "__NUXT_DATA__") return { kind: "json", text };
  return /^\s*(?:self|window|\(self)\.__next_f\b/.test(text) ? { kind: "flight", text } : undefined;
}

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
  const told = payloads.filter(({ kind }) => kind === "json-ld");
  return longest(told.flatMap(({ text }) => strings(parseJson(text), isBodyKey)));
}

function isBodyKey(key: string): boolean {
  return key === "articleBody" || key === "text" || key === "description" || key === "reviewBody";
}

/** What JSON-LD says of the product a page sells, or "". */
export function productDescription(page: Page): string {
  const products = describedThings(page).filter((thing) => thing["@type"] === "Product");
  return longest(products.map(({ description }) => (typeof description === "string" ? description : "")));
}

/** The prose in the data a framework hands to its scripts (Next, Nuxt, React server components), in its order. */
export function payloadText({ payloads }: Page): string {
  const values = payloads.filter(({ kind }) => kind !== "json-ld").flatMap(payloadValues);
  const prose = values.flatMap((value) => strings(value, () => true)).filter(isProse);
  return [...new Set(prose.map((text) => text.trim()))].join("\n\n");
}

function payloadValues({ kind, text }: Payload): readonly unknown[] {
  if (kind === "json") return [parseJson(text)];
  // A flight payload is pushed as [1, "..."] in many scripts; its lines are `id:json`.
  const rows = parseJson(text.slice(text.indexOf(".push(") + ".push(".length, text.lastIndexOf("])") + 1));
  const stream = Array.isArray(rows) && typeof rows[1] === "string" ? rows[1] : "";
  return stream.split("\n").map((line) => flightValue(line));
}

function flightValue(line: string): unknown {
  const json = /^[\da-f]*:(?:[A-Z](?=[[{"]))?([[{"][\s\S]*)$/.exec(line)?.[1];
  const value = json === undefined ? undefined : parseJson(json);
  return value ?? line.replace(/^[\da-f]*:T?[\da-f]*,/, "");
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // Pages carry broken data; what cannot be read is as good as absent.
  }
}

const mostStrings = 20_000;

/** The texts in a value under keys that are wanted, in their order. */
function strings(root: unknown, wanted: (key: string) => boolean): readonly string[] {
  const found: string[] = [];
  const stack: { value: unknown; key: string }[] = [{ value: root, key: "" }];
  for (let next = stack.pop(); next !== undefined && found.length < mostStrings; next = stack.pop()) {
    const { value, key } = next;
    if (typeof value === "string" && wanted(key)) found.push(value);
    if (typeof value !== "object" || value === null) continue;
    for (const [name, member] of Object.entries(value).reverse()) {
      stack.push({ value: member, key: Array.isArray(value) ? key : name });
    }
  }
  return found;
}

/** Sentences rather than identifiers, addresses or style sheets. */
function isProse(text: string): boolean {
  if (text.length < 60) return false;
  if (/^(?:https?:|\/|data:|[{[<]?[\w$.]*[{(=])/.test(text) && !text.startsWith("<p")) return false;
  const blanks = text.split(" ").length - 1;
  return blanks >= 8 && blanks > text.length / 15;
}

function longest(texts: readonly string[]): string {
  return texts.reduce((best, text) => (text.length > best.length ? text : best), "");
}
