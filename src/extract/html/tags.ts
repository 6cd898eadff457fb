/** What HTML says about its tags: which are void, which stand in a line of text, which close others. */

function set(names: string): ReadonlySet<string> {
  return new Set(names.split(" "));
}

export const voidTags = set(
  "area base basefont bgsound br col embed frame hr img input keygen link meta param source track wbr",
);

/** Elements that stand inside a line of text; every other one begins and ends a block. */
export const inlineTags = set(
  "a abbr acronym b bdi bdo big br cite code data del dfn em font i img input ins kbd label mark math nobr output q " +
    "rb rp rt ruby s samp select small span strike strong sub sup svg time tt u var wbr option optgroup textarea button " +
    "semantics annotation mi mo mn mrow msup msub mfrac msqrt mtext mstyle munder mover munderover mtable mtr mtd",
);

/** An end tag of these ends the emphasis or link even when blocks were opened inside. */
export const formattingTags = set("a b big code em font i nobr s small strike strong tt u");

/** Opening one of these ends an open paragraph. */
export const closesParagraph = set(
  "address article aside blockquote center details dialog dir div dl fieldset figcaption figure footer form h1 h2 h3 h4 " +
    "h5 h6 header hgroup hr main menu nav ol p pre search section summary table ul listing xmp plaintext dd dt li",
);

export const headings = set("h1 h2 h3 h4 h5 h6");

/** What may stand in the head; anything else ends it. */
export const headTags = set("base basefont bgsound link meta noframes noscript script style template title");

/** Tags that end foreign content (svg) wherever they stand. */
export const leavesForeign = set(
  "b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img li listing menu meta nobr " +
    "ol p pre ruby s small span strong strike sub sup table tt u ul var",
);

/** An end tag of anything but the table itself does not reach out of these. */
export const scopeBorders = set("table td th caption template html");
export const tableTags = set("table caption thead tbody tfoot tr td th");

/** What the start of an element closes, and where the search for it ends. */
export const impliedEnds: Readonly<
  Record<string, { readonly closes: ReadonlySet<string>; readonly until: ReadonlySet<string> }>
> = {
  li: { closes: set("li"), until: set("ul ol menu dir table td th section article blockquote template") },
  dt: { closes: set("dt dd"), until: set("dl table td th template") },
  dd: { closes: set("dt dd"), until: set("dl table td th template") },
  tr: { closes: set("tr caption colgroup"), until: set("table template") },
  td: { closes: set("td th"), until: set("tr table template") },
  th: { closes: set("td th"), until: set("tr table template") },
  thead: { closes: set("thead tbody tfoot caption colgroup"), until: set("table template") },
  tbody: { closes: set("thead tbody tfoot caption colgroup"), until: set("table template") },
  tfoot: { closes: set("thead tbody tfoot caption colgroup"), until: set("table template") },
  option: { closes: set("option"), until: set("select datalist optgroup template") },
  optgroup: { closes: set("option optgroup"), until: set("select template") },
  rt: { closes: set("rt rp rb"), until: set("ruby") },
  rp: { closes: set("rt rp rb"), until: set("ruby") },
  button: { closes: set("button"), until: set("form table template") },
};

export const paragraphBorders = set("table td th caption button object template html");
