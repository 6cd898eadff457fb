/** The numbers replies are held to, by the names the contracts use. */
import { settingRows } from "../config/settings.ts";

/** Characters of content a fetch answers inline. */
export const MAX_INLINE_CONTENT = settingRows["fit.inline_chars"].default;

/** Characters a read answers when the caller asks for no other number. */
export const DEFAULT_GET_CONTENT_MAX_CHARS = settingRows["fit.read_chars"].default;

/** The most characters any read answers; who asks for more gets this many. */
export const MAX_GET_CONTENT_CHARS = settingRows["fit.read_chars"].ceiling;

/** Characters of a document shown under its summary line. */
export const EXCERPT_CHARS = settingRows["fit.excerpt_chars"].default;

/** The most characters a whole search reply may have once serialized. */
export const CHARACTER_LIMIT = 100_000;

/** Characters taken as one token where no tokenizer counts. */
export const CHAR_TO_TOKEN_RATIO = 4.0;

/** Share of a hard limit that estimates may fill; the rest absorbs what estimates miss. */
export const TRUNCATION_MARGIN = 0.8;

/** The limit estimates are held to: 80,000 characters. */
export const EFFECTIVE_CHAR_LIMIT = CHARACTER_LIMIT * TRUNCATION_MARGIN;

/** Share of the effective limit above which an untruncated reply is worth a log line. */
export const TRUNCATION_WARNING_THRESHOLD = 0.7;

/** No budget is smaller: with fewer characters an answer cannot say what is missing. */
export const SMALLEST_BUDGET_CHARS = settingRows["fit.read_chars"].min;

/** What summary and notice may add to content that obeys its limit. */
export const OVERHEAD_CHARS = 600;

/** Bytes of one whole message on the wire. */
export const WIRE_BYTES = 900_000;
