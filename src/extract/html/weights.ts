/**
 * The thresholds of HTML extraction, settled on pages with a human-labelled text (npm run bench -- html). Shares are
 * between 0 and 1, `Chars` counts characters of text. Limits that only bound the work are in the files they protect.
 */
export const htmlWeights = {
  /** What a browser shows, decided while a page is parsed. */
  visibility: {
    /** A transparent element with a larger share of all elements is shown: the script that fades it in is missing. */
    maxTransparentShare: 0.2,
    /** `aria-hidden` on a larger share of the text means that a dialog was open when the page was saved. */
    maxAriaHiddenShare: 0.8,
    /** Smaller elements with `aria-hidden` are icons; their text is not measured. */
    minAriaHiddenElements: 4,
    /** How many levels down a control that unfolds hidden text may be. */
    maxControlLevels: 2,
  },

  /** How the text of an element is measured. */
  measure: {
    /** A line of text outside links is prose from this length on. */
    minProseChars: 80,
    /** One character of Chinese, Japanese or Korean counts as this many letters. */
    cjkCharWeight: 3,
    /** Less text per link is a card that leads to another page. */
    cardCharsPerLink: 300,
  },

  /** Which kind of page it is. */
  pageKind: {
    /** A page with more buttons to buy something is a catalogue, not a product. */
    maxBuyButtons: 2,
    /** From this many blocks of code on, any page but a forum is treated as a reference. */
    minReferenceCodeBlocks: 3,
  },

  /** Which pages that state no kind are articles. */
  articleShape: {
    /** One element has paragraphs of more characters, and a larger share of the prose than this. */
    minRunChars: 1000,
    minRunShare: 0.5,
    /** A page with more prices is a catalogue; a longer text is not a price. */
    maxPrices: 20,
    maxPriceChars: 40,
  },

  /** Which element shows the title of the page. */
  title: {
    /** Shorter and longer texts are not looked at, nor are boxes of more elements. */
    minTitleChars: 8,
    maxTitleChars: 300,
    maxTitleElements: 8,
    /** A smaller part of the page's title may be any line of it. */
    minTitleShare: 0.4,
    /** Within this many characters of the start, a main heading or the words of the title show the title. */
    maxHeadingDistance: 1500,
  },

  /** Which element is the content. */
  choose: {
    /** `main` is used if it holds a larger share of the unlinked text of the body. */
    minMainShare: 0.4,
    /** With less prose than this the search for a smaller content element stops. */
    minArticleProseChars: 1000,
    /** A child becomes the content if it holds these shares of its parent's prose and unlinked text. */
    article: { proseShare: 0.8, textShare: 0 },
    reference: { proseShare: 0.9, textShare: 0.95 },
    other: { proseShare: 0.9, textShare: 0.8 },
    /** An ancestor with the title replaces the content if its unlinked text is less than this many times as long. */
    maxTitledGrowth: 1.2,
    /** What a page states to be its article's body is believed if more than this share of the prose is in it. */
    minStatedShare: 0.5,
    /** Shorter text between an article's title and its body is a date, a name or a button. */
    minLeadChars: 40,
    /** A consent notice is dropped only if it holds a smaller share of the text. */
    maxNoticeShare: 0.5,
    /** Above this share of unlinked text, comments are the content. */
    maxCommentShare: 0.5,
    /** More reviews of a product are left out. */
    maxReviewChars: 600,
    /** An element whose text is footnotes by more than this share is a list of footnotes. */
    minFootnoteShare: 0.5,
    /** From this many names of authors on, each belongs to a post of its own. */
    minPosts: 2,
    /** How many levels below its cell the words for an icon may be. */
    maxIconLevels: 4,
    /** A shorter list of footnotes does not keep the content element from getting smaller. */
    minFootnoteListChars: 40,
  },

  /** Which elements inside the content are dropped. */
  prune: {
    /** With more prose than this the page is judged by its prose, else by its unlinked text. */
    minArticleProseChars: 1000,
    /** An element with a larger share of the prose, or of the unlinked text, is kept whatever its name. */
    maxDroppedProseShare: 0.5,
    maxDroppedTextShare: 0.4,
    /** Text with a larger share in links is mostly links. */
    maxLinkShare: 0.5,
    /** An aside with a smaller share of its text in links may be a pull quote. */
    maxPullQuoteLinkShare: 0.3,
    /** Shorter text under a doubtful name is dropped. */
    minDoubtfulChars: 120,
    /** What is about the author of an article is dropped if it is a smaller share of the unlinked text. */
    maxAuthorShare: 0.2,
    /** Links with fewer characters each, on average, make a list of links. */
    minCharsPerLink: 60,
  },

  /** What the words in class names and ids say. */
  names: {
    /** An id of more words is made from a heading and says what the section is about. */
    maxIdWords: 3,
    /** A longer class name is generated and has no meaning. */
    maxNameChars: 80,
  },

  /** Sections that a heading identifies as boilerplate, such as related stories. */
  boilerplate: {
    /** A heading with more characters is about the page; in the source, blanks between the words count too. */
    maxPhraseChars: 80,
    maxHeadingChars: 250,
    /** A section may be dropped only after this share of the unlinked text. */
    minTextShareBefore: 0.3,
    /** A section with a larger share of the unlinked text is kept. */
    maxSectionShare: 0.3,
    /** A shorter section without prose is dropped. */
    minSectionChars: 120,
  },

  /** Lines of a few words that are never content. */
  shortLines: {
    maxAdvertisementChars: 50,
    maxControlChars: 90,
    /** A larger box has more than a line in it. */
    maxLineElements: 6,
  },

  /** Cards below an article that lead to other stories. */
  teasers: {
    /** Fewer similar boxes are not a row of cards. */
    minCards: 3,
    /** How many levels a heading may be below its card, and below the link around it. */
    maxLevels: 5,
    /** An article has this much prose outside all cards, and this share of it before the first card that is dropped. */
    minArticleProseChars: 1000,
    minProseShareBefore: 0.9,
  },

  /** What frames the content on pages that do not say so. */
  pageFrame: {
    /** A head or foot has at least this share of its text in links. */
    minLinkShare: 0.9,
    /** A larger share of the page's text is what the page is about. */
    maxFrameShare: 0.2,
    /** A menu has at least this many links, a foot fewer, but in a short text. */
    minMenuLinks: 3,
    minFootLinks: 2,
    maxFootChars: 200,
    /** A layout table has a main cell if one has more than this share of its unlinked text. */
    minMainCellShare: 0.5,
  },

  /** Lists of links after the last prose. */
  linkTail: {
    /** A list of links has this share of its text in links, and this many of them. */
    minLinkShare: 0.6,
    minLinks: 2,
    /** With a larger share of the text, the links are what the page is about. */
    maxTailShare: 0.2,
    /** A shorter line between such lists belongs to them. */
    maxLineChars: 80,
  },

  /** The learnt filter of blocks, and what its features count. The table is trained with these. */
  blockFilter: {
    /** A block or list that is content with a lower probability is dropped. */
    minProbability: 0.45,
    /** If that is a larger share of the text, the page is unlike those of the training and nothing is dropped. */
    maxDroppedShare: 0.35,
    /** A line that names the author has at most this many further characters. */
    maxBylineChars: 60,
    /** Text with a larger share in links is not prose. */
    maxProseLinkShare: 0.5,
    /** The section of a block has at most this share of the text. */
    maxSectionShare: 0.5,
    /** How many blocks before and after one are around it. */
    neighbours: 3,
    /** Longer rows of similar elements are counted as this long; how many levels up they are looked for. */
    maxAlike: 50,
    maxAlikeLevels: 6,
    /** A heading farther above, in blocks, is as good as none. */
    maxHeadingDistance: 99,
  },

  /** When the text of a strategy is good enough, and when the next one replaces it. */
  strategies: {
    /** A shorter text is not accepted while there are other strategies to try. */
    minTextChars: 250,
    /** A smaller share of the page is accepted only from `minLongTextChars` on. */
    minKeptShare: 0.06,
    minLongTextChars: 800,
    /** Most pages keep more of their text; below this the answer says how little was kept. */
    minUsualShare: 0.1,
    /** How many times as long a milder strategy's text must be to replace a text shorter than `minTextChars`, ... */
    gainOverShortText: 1.5,
    /** ... and to replace any other. */
    gainOverOtherText: 3,
    /** A page with scripts and less visible text outside links is an app shell. */
    minVisibleChars: 80,
    /** A text about JavaScript is a request to enable it only if it is shorter. */
    maxNoticeChars: 300,
    /** A shorter product description in structured data is ignored. */
    minDescriptionChars: 100,
    /** ... as is one that is short beside the text of the page. */
    minDescriptionShare: 0.5,
    /** A description is already on the page if its first letters and digits are. */
    descriptionProbeChars: 40,
  },

  /** What is written and how. */
  writing: {
    /** Shorter paragraphs may repeat: they are not taken for duplicates. */
    minDuplicateChars: 80,
    /** With more repeated text per text that is new, repetition is what the page is about. */
    maxDuplicateRatio: 3,
    /** A shorter image label is an icon's and may repeat. */
    minImageLabelChars: 20,
    /** The picture and the title of a card are at most this many elements apart. */
    maxCardElements: 40,
    /** A figure with fewer characters outside of links has no caption; it may be a card. */
    minCaptionChars: 40,
    /** Longer text in `sup` or `sub` is written without a sign. */
    maxSuperscriptChars: 24,
    /** A line of more fragments is not the name of a code block's language. */
    maxLabelFragments: 4,
    /** How many wrappers may be between a list item and the heading that makes it a section. */
    maxItemWrappers: 4,
  },

  /** How links are written. */
  links: {
    /** Within fewer characters of a section an address is not repeated: about what a passage of a question's answer has. */
    minRepeatDistanceChars: 1000,
    /** A link with the same text and address is not repeated within a third of an unlimited reply, in any section. */
    minNameDistanceChars: 10_000,
  },

  /** Footnotes and side notes. */
  footnotes: {
    /** A shorter side note is only its number. */
    minSideNoteChars: 8,
  },

  /** Code blocks and tables. */
  code: {
    /** Fewer numbers in a row are part of the code, not line numbers. */
    minLineNumbers: 3,
    /** Longer text that cannot be selected is code, not a prompt or a number. */
    maxUnselectableChars: 8,
    /** A link whose address contains the longest line of a code block carries its code, if that is not shorter. */
    minCarriedChars: 8,
    /** A longer element named after copying is not a button. */
    maxCopyButtonChars: 30,
    /** How many wrappers around a block may name its language, and how many of them by the bare name alone. */
    maxLanguageWrappers: 4,
    maxBareNameWrappers: 2,
    /** Classes of at most this many letters each are generated and name no language. */
    maxGeneratedClassChars: 3,
    /** How many levels above a table a `pre` or `code` makes it a listing. */
    maxListingLevels: 3,
  },
  tables: {
    /** Without header cells, fewer rows are layout. */
    minDataRows: 2,
    /** Without header cells, a table of data has text in more than this share of its cells. */
    minFilledShare: 0.5,
    /** More block elements per cell are layout, unless there are `minHeaders` header cells. */
    maxBlocksPerCell: 0.5,
    minHeaders: 2,
  },

  /** Text in the data of scripts, and the author of a page. */
  data: {
    /** A string is prose if it has this many characters and blanks, and more than one blank per `maxCharsPerBlank`. */
    minProseChars: 60,
    minProseBlanks: 8,
    maxCharsPerBlank: 15,
    /** In scripts without blanks between words, a string is prose from this many of their letters on. */
    minUnspacedLetters: 20,
    /** How many levels below a list of prose a short line still belongs to it. */
    maxLineLevels: 5,
    /** A longer text is not an author's name, neither is one of more words. */
    maxAuthorChars: 80,
    maxAuthorWords: 8,
    /** How many elements after the title a date may be, and the longest line that states one. */
    maxDateDistance: 40,
    maxDateLineChars: 80,
    /** A longer title or other fact is ignored. */
    maxFactChars: 1000,
  },
} as const;
