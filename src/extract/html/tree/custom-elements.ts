/** Custom and unknown elements: like a browser, a page shows them inside a line unless they hold a block. */
import { inlineTags, wordSet } from "./tags.ts";
import { createContains, type Element } from "./tree.ts";

type Mutable = { -readonly [K in keyof Element]: Element[K] };

/** The tag that stands for every custom or unknown element inside a line. */
export const CUSTOM_INLINE_TAG = "custom-inline";

/** The tags of HTML that begin and end a block, or that are not text at all. */
const blockTags = wordSet(
  "address applet area article aside audio base basefont bgsound blockquote body canvas caption center col colgroup dd " +
    "details dialog dir div dl dt embed fieldset figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 head " +
    "header hgroup hr html iframe keygen legend li link listing main map menu meta nav noembed noframes noscript object ol " +
    "p param picture plaintext pre script search section slot source style summary table tbody td template tfoot th " +
    "thead title tr track ul video xmp",
);

/** Gives custom and unknown elements without a block inside the tag of an inline element. */
export function setInlineTags(elements: readonly Element[]): void {
  const unknown = elements.filter(({ tag }) => !inlineTags.has(tag) && !blockTags.has(tag));
  if (unknown.length === 0) return;
  const containsBlock = createContains({ elements }, ({ tag }) => blockTags.has(tag));
  for (const element of unknown) if (!containsBlock(element)) setTag(element, CUSTOM_INLINE_TAG);
}

function setTag(element: Mutable, tag: string): void {
  element.tag = tag;
}
