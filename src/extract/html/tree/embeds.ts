/** Other documents inside a page: frames, videos, maps and forms. They are linked, not read. */
import { wordSet } from "./tags.ts";
import type { Element } from "./tree.ts";

/** Tags of elements that show another document. */
export const frameTags = wordSet("frame iframe");

/** An embedded document: its label, and its address as the page writes it. */
export type Embed = { readonly label: string; readonly src: string };

/** Labels of frames for advertising, tracking, consent and captchas. */
const serviceLabel = /\b(?:ads?|advert\w*|recaptcha|captcha|cookies?|consent|tracking|tag manager|analytics|pixel)\b/i;

/** The document that an element embeds for readers; undefined if it shows them nothing. */
export function findEmbed({ tag, attributes, hidden }: Element): Embed | undefined {
  if (!frameTags.has(tag) || hidden) return undefined;
  const src = [attributes.src, attributes["data-src"]].find((address) => address && !address.startsWith("about:"));
  if (src === undefined) return undefined;
  const label = (attributes.title ?? attributes.name ?? "").replace(/\s+/g, " ").trim();
  if (tag === "frame") return { label: label || src, src };
  // Players allow full screen; a frame with neither that nor a title is not for readers.
  const isForReaders = attributes.title?.trim() || attributes.allowfullscreen !== undefined;
  return isForReaders && !serviceLabel.test(label) ? { label: label || src, src } : undefined;
}
