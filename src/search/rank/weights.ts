/**
 * The numbers of the ranking, settled on two sets of queries over public repositories of 20 languages, part of them
 * held back (npm run bench -- search). Each part of a file's score is between 0 and 1 before its weight.
 */
export const weights = {
  /** How soon repeating a word stops to count, and how much length must be made up for; in chunks and in files. */
  chunkSaturation: 1.4,
  chunkLength: 0.75,
  fileSaturation: 3,
  fileLength: 0.25,
  /** A word in the name of a definition counts as so many occurrences: of a value, a function, a type. */
  defined: [0, 0.25, 0.5, 2],
  /** What makes the score of a file: its best chunk, all its words, its name, its folders, ... */
  chunk: 1,
  file: 0.43,
  stem: 0.88,
  folder: 0.85,
  /** ... how much of its name the question has, names it defines, and its length: stubs say little. */
  stemShare: 0.26,
  name: 0.9,
  size: 0.13,
  /** Where vectors tell how near a file's chunks are in meaning: the nearest chunk of all counts fully. */
  meaning: 0.5,
  /** What a chunk gains for being near, as a share of the best chunk's score. */
  meaningChunk: 0.5,
  /** Defining a name of the question as a value, a function, a type. */
  named: [0, 0.4, 0.93, 1.14],
  /** How sure it is that a word is a name: spelled like one, capitalised, two words together, any word. */
  certainty: { spelled: 1, capitalised: 0.5, joined: 0.5, plain: 0.25 },
  /** What a chunk gains that defines a name of the question, as a share of the best chunk's score. */
  namedChunk: 0.5,
  /** Inside a file, what a chunk gains for words in the names it defines, in their rarity. */
  definedSpan: 2.2,
  /** Words of one family and short forms: a little in the text, fully in the path. */
  kin: 0.1,
  shortForm: 0.12,
  kinInPath: 1,
  /** What is left of the score of files that surround the code, unless the question asks for them. */
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
  /** What a file gains that has the whole question word for word, as a share of the highest score. */
  verbatim: 0.3,
  /** For a question about tests, tests count nearly like anything else. */
  askedRole: 0.95,
} as const;

/** The highest score a file can reach, by which scores are brought to 0..1. */
export const highestScore =
  weights.chunk +
  weights.file +
  weights.stem +
  weights.folder +
  weights.stemShare +
  weights.name * weights.named[3] +
  weights.size;
