/** Other documents inside a page: frames, and the videos, maps and forms in its text. They are not read, but linked. */
import type { Element } from "./tree.ts";

const frameTags = new Set(["frame", "iframe"]);

/** What an embedded document is called, and the address it has in the page. */
export type Embed = { readonly label: string; readonly src: string };

/** Labels of what is put into pages to count, to sell or to check their readers. */
const machinery = /\b(?:ads?|advert\w*|recaptcha|captcha|cookies?|consent|tracking|tag manager|analytics|pixel)\b/i;

/** The document an element embeds for its readers, or undefined for what shows nothing of its own. */
export function embedOf({ tag, attributes, hidden }: Element): Embed | undefined {
  if (!frameTags.has(tag) || hidden || isDot(attributes.width) || isDot(attributes.height)) return undefined;
  const src = [attributes.src, attributes["data-src"]].find((address) => address && !address.startsWith("about:"));
  if (src === undefined) return undefined;
  const label = (attributes.title ?? attributes.name ?? "").replace(/\s+/g, " ").trim();
  if (tag === "frame") return { label: label || src, src };
  // Players ask for the whole screen; what has neither a title nor that is machinery.
  const isForReaders = attributes.title?.trim() || attributes.allowfullscreen !== undefined;
  return isForReaders && !machinery.test(label) ? { label: label || src, src } : undefined;
}

function isDot(size: string | undefined): boolean {
  return size !== undefined && /^\s*[01](?:px)?\s*$/.test(size);
}

/** Attributes that are read from frames only. */
export function isFrameAttribute(tag: string, name: string): boolean {
  return frameTags.has(tag) && frameAttributes.has(name);
}
const frameAttributes = new Set(["src", "data-src", "title", "width", "height", "allowfullscreen"]);
