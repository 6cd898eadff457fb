/** The limits of replies, by the names the contracts use. */
import { settingRows } from "../config/settings.ts";

/** Characters of content that a fetch shows inline. */
export const MAX_INLINE_CONTENT = settingRows["fit.inline_chars"].default;

/** Characters that a read shows when the caller requests no other number. */
export const DEFAULT_GET_CONTENT_MAX_CHARS = settingRows["fit.read_chars"].default;

/** The most characters that any read shows; larger requests get this many. */
export const MAX_GET_CONTENT_CHARS = settingRows["fit.read_chars"].ceiling;

/** Characters of a document shown under its summary line. */
export const EXCERPT_CHARS = settingRows["fit.excerpt_chars"].default;

/** The most characters of a serialized search reply. */
export const CHARACTER_LIMIT = 100_000;

/** Characters per token where no tokenizer counts. */
export const CHAR_TO_TOKEN_RATIO = 4.0;

/** Share of a hard limit that estimates may fill; the rest absorbs their error. */
export const TRUNCATION_MARGIN = 0.8;

/** The limit for estimates: 80,000 characters. */
export const EFFECTIVE_CHAR_LIMIT = CHARACTER_LIMIT * TRUNCATION_MARGIN;

/** Share of the effective limit above which an untruncated reply gets a log line. */
export const TRUNCATION_WARNING_THRESHOLD = 0.7;

/** No budget is smaller unless the caller asks for less: with fewer characters most answers are of no use. */
export const MIN_BUDGET_CHARS = settingRows["fit.read_chars"].min;

/** What summary and notices may add to the content. */
export const OVERHEAD_CHARS = 600;

/** Bytes of one message on the wire. */
export const WIRE_BYTES = 900_000;
