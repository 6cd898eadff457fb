/** Recognises the scripts of a page that carry data: facts about the page, or the content that scripts would show. */
import type { Element, Payload } from "./tree.ts";

/** Comment syntax after the JSON is at most this long, with the blanks around it. */
const MAX_COMMENT_END_CHARS = 20;

/** The payload in a script element, if there is one. */
export function findPayload({ attributes }: Element, text: string): Payload | undefined {
  const { type = "", id = "" } = attributes;
  if (/ld\+json/i.test(type)) return { kind: "json-ld", text: unwrapJson(text) };
  if (id === "__NEXT_DATA__" || id === "__NUXT_DATA__") return { kind: "json", text };
  return /^\s*(?:self|window|\(self)\.__next_f\b/.test(text) ? { kind: "flight", text } : undefined;
}

/** JSON without the comment syntax that hides it from old browsers and XML, and without raw line breaks in strings. */
function unwrapJson(text: string): string {
  const bare = text.trim().replace(/^(?:\/\/|\/\*)?\s*(?:<! ?\[CDATA\[|<!--)\s*(?:\*\/)?/, "");
  const ending = bare.slice(-MAX_COMMENT_END_CHARS);
  const end = ending.search(/(?:\/[/*]\s*)?(?:\]\]>|-->)/);
  return bare.slice(0, end < 0 ? undefined : bare.length - ending.length + end).replace(/[\n\r\t]/g, " ");
}
