/** What the HTML standard says about tags: which are void, which are inline, which close others. */

/** The set of the words in a text, for lists that read better without quotes. */
export function wordSet(words: string): ReadonlySet<string> {
  return new Set(words.split(" "));
}

/** Elements without children and end tag. */
export const voidTags = wordSet(
  "area base basefont bgsound br col embed frame hr img input keygen link meta param source track wbr",
);

/** Elements inside a line of text; every other one begins and ends a block. */
export const inlineTags = wordSet(
  "a abbr acronym b bdi bdo big br cite code data del dfn em font i img input ins kbd label mark math nobr output q " +
    "rb rp rt ruby s samp select small span strike strong sub sup svg time tt u var wbr option optgroup textarea button " +
    "semantics annotation mi mo mn ms mrow msup msub msubsup mfrac msqrt mroot mtext mspace mstyle mpadded mfenced munder " +
    "mover munderover mmultiscripts mtable mtr mtd mjx-container mjx-assistive-mml mjx-math custom-inline",
);

/** An end tag of these ends the emphasis or link even if blocks were opened inside. */
export const formattingTags = wordSet("a b big code em font i nobr s small strike strong tt u");

/** Opening one of these ends an open paragraph. */
export const paragraphClosers = wordSet(
  "address article aside blockquote center details dialog dir div dl fieldset figcaption figure footer form h1 h2 h3 h4 " +
    "h5 h6 header hgroup hr main menu nav ol p pre search section summary table ul listing xmp plaintext dd dt li",
);

/** Headings, whose alphabetical order is their rank. */
export const headingTags = wordSet("h1 h2 h3 h4 h5 h6");

/** What is allowed in the head; any other tag ends it. */
export const headTags = wordSet("base basefont bgsound link meta noframes noscript script style template title");

/** Tags that end foreign content (svg) at any depth. */
export const foreignClosers = wordSet(
  "b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img li listing menu meta nobr " +
    "ol p pre ruby s small span strong strike sub sup table tt u ul var",
);

/** No end tag but that of the table closes an element outside of these. */
export const scopeBorders = wordSet("table td th caption template html foreignobject");
export const tableTags = wordSet("table caption thead tbody tfoot tr td th");

/** Which open elements a start tag closes, and where the search for them ends. */
type ImpliedEnds = { readonly closes: ReadonlySet<string>; readonly until: ReadonlySet<string> };

/** The elements that each start tag closes. */
export const impliedEnds: ReadonlyMap<string, ImpliedEnds> = new Map([
  ["li", { closes: wordSet("li"), until: wordSet("ul ol menu dir table td th section article blockquote template") }],
  ["dt", { closes: wordSet("dt dd"), until: wordSet("dl table td th template") }],
  ["dd", { closes: wordSet("dt dd"), until: wordSet("dl table td th template") }],
  ["tr", { closes: wordSet("tr caption colgroup"), until: wordSet("table template") }],
  ["td", { closes: wordSet("td th"), until: wordSet("tr table template") }],
  ["th", { closes: wordSet("td th"), until: wordSet("tr table template") }],
  ["thead", { closes: wordSet("thead tbody tfoot caption colgroup"), until: wordSet("table template") }],
  ["tbody", { closes: wordSet("thead tbody tfoot caption colgroup"), until: wordSet("table template") }],
  ["tfoot", { closes: wordSet("thead tbody tfoot caption colgroup"), until: wordSet("table template") }],
  ["option", { closes: wordSet("option"), until: wordSet("select datalist optgroup template") }],
  ["optgroup", { closes: wordSet("option optgroup"), until: wordSet("select template") }],
  ["rt", { closes: wordSet("rt rp rb"), until: wordSet("ruby") }],
  ["rp", { closes: wordSet("rt rp rb"), until: wordSet("ruby") }],
  ["button", { closes: wordSet("button"), until: wordSet("form table template") }],
]);

/** A start tag does not close a paragraph outside of these. */
export const paragraphBorders = wordSet("table td th caption button object template html foreignobject");
