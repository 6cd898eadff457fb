/**
 * The weights of the ranking, tuned on two sets of queries over public repositories in 20 languages (npm run
 * bench -- search). Each part of a file's score is between 0 and 1 before its weight.
 */
export const rankWeights = {
  /** BM25's k1 (how soon a repeated word stops counting) and b (how much length counts), for chunks and for files. */
  chunkSaturation: 1.4,
  chunkLength: 0.75,
  fileSaturation: 3,
  fileLength: 0.25,
  /** Occurrences that a word in the name of a definition counts as: of a value, a function, a type. */
  defined: [0, 0.25, 0.5, 2],
  /** The parts of a file's score: its best chunk, all its words, its name, its folders, ... */
  chunk: 1,
  file: 0.43,
  stem: 0.88,
  folder: 0.85,
  /** The share of a word in the folders that counts where the name has the word too. */
  folderBesideStem: 0.6,
  /** ... the share of its name that the query has, the names it defines, and its length: short files say little. */
  stemShare: 0.26,
  name: 0.9,
  size: 0.13,
  /** With vectors: how near the file's nearest chunk is in meaning. */
  meaning: 0.5,
  /** Without vectors of a service: how near it is by the learnt table, by its nearest chunks and by its names. */
  learnt: 1,
  learntNames: 0.7,
  /** What both count for, by the mean share of the question's words that code about them has. */
  meaningByWords: { names: { keptShare: 0.45, weight: 1 }, everyday: { keptShare: 0.3, weight: 3 } },
  /** In a question in words: the share of a word that counts fully, how much less others count, and the bounds. */
  trust: { keptShare: 0.55, exponent: 0.7, range: [0.1, 1.3] },
  /** In a question in words: what the best other files of the same folder add. */
  neighbours: 0.15,
  /** ... and what its best test adds, by the words in the test's text. */
  tests: 0.2,
  /** What a word of code counts for that people have another word for. */
  codeWord: 0.5,
  /** A word is an everyday one by the share of code that has it where its question has it, or if hardly a chunk here has it. */
  everyday: { none: 0.6, full: 0.4, maxChunks: 3 },
  /** What a chunk gains for being near, as a share of the best chunk's score. */
  meaningChunk: 0.5,
  /** Defining a name of the query as a value, a function, a type. */
  named: [0, 0.4, 0.93, 1.14],
  /** How certain it is that a word is a name: spelled like one, capitalised, joined from neighbours, any word. */
  certainty: { spelled: 1, capitalised: 0.5, joined: 0.5, plain: 0.25 },
  /** What a chunk gains for defining a name of the query, as a share of the best chunk's score. */
  namedChunk: 0.5,
  /** Within a file, what a chunk gains for words in the names it defines, times their rarity. */
  definedSpan: 2.2,
  /** Words of the same family and short forms: little in the text, fully in the path. */
  family: 0.1,
  shortForm: 0.12,
  familyInPath: 1,
  /** The factor for files that surround the code, unless the query asks for them. */
  roles: {
    test: 0.6,
    example: 0.5,
    gateway: 0.6,
    declaration: 0.7,
    prose: 0.6,
    compatibility: 0.5,
    vendored: 0.5,
    generated: 0.6,
  },
  /** What a file gains for containing the whole query word for word, as a share of the highest score. */
  verbatim: 0.3,
  /** The factor for a role that the query names: for a query about tests, tests count nearly like other files. */
  namedRole: 0.95,
} as const;

/** The highest score of a file, which scores are divided by. */
export const MAX_SCORE =
  rankWeights.chunk +
  rankWeights.file +
  rankWeights.stem +
  rankWeights.folder +
  rankWeights.stemShare +
  rankWeights.name * rankWeights.named[3] +
  rankWeights.size;

/** How much of a file is shown. */
export type SpanLimits = {
  /** Characters of the main span, and of the lines that match best in a further one. */
  readonly mainChars: number;
  readonly furtherChars: number;
  /** Further spans before neighbours are joined, and the characters of all, with SPAN_FRAME_CHARS for each. */
  readonly furtherSpans: number;
  readonly totalChars: number;
  /** A span has at least one line; a longer one is cut to this many characters. */
  readonly cutChars: number;
};

/** Characters that a reply has around a span: its line numbers, and in JSON the names of its fields. */
export const SPAN_FRAME_CHARS = 40;

/**
 * A reader looks at the first file closely, and at later ones to see whether they matter. Many short spans find more of the
 * lines asked for than a few long ones: 0.729 of 437 queries for 1,210 tokens in ten files, where six spans of 130 characters
 * beside one of 360 found 0.686 for 1,240. Room is better spent on the first file than on the others. With a main span below
 * 180 characters, the estimate of a result, which counts no names of fields, is too small.
 */
const topLimits: SpanLimits = {
  mainChars: 320,
  furtherChars: 60,
  furtherSpans: 16,
  totalChars: 1_500,
  cutChars: 4_000,
};
const upperLimits: SpanLimits = { mainChars: 200, furtherChars: 50, furtherSpans: 7, totalChars: 600, cutChars: 600 };
const lowerLimits: SpanLimits = { mainChars: 180, furtherChars: 50, furtherSpans: 5, totalChars: 340, cutChars: 400 };
const UPPER_RANKS = 4;

/** The limits for a file at this place of the ranking, from 0. */
export function limitsAt(rank: number): SpanLimits {
  if (rank === 0) return topLimits;
  return rank < UPPER_RANKS ? upperLimits : lowerLimits;
}
