/** The lengths to which `clip` cuts texts from outside, named by what is shown and where. */

/** Names, ids, hosts and single words in a sentence; the default of `clip`. */
export const NAME_CHARS = 60;

/** Short tokens of which several are listed: unknown parameters, a header's value. */
export const SHORT_NAME_CHARS = 40;

/** The name of a tool; providers allow no longer ones. */
export const TOOL_NAME_CHARS = 64;

/** Paths, and sources as the user named them, in a sentence. */
export const PATH_CHARS = 200;

/** A URL in a sentence of the HTTP client. */
export const URL_CHARS = 160;

/** A URL in one line of a list, or an id that was given instead of one. */
export const LISTED_URL_CHARS = 120;

/** A URL that only has to be recognised, in the smallest reply about many sources. */
export const SHORTEST_URL_CHARS = 24;

/** A source as it is stored with a response or printed for scripts. */
export const STORED_URL_CHARS = 2_000;

/** The media type and parameters of a data: URL. */
export const DATA_HEADER_CHARS = 100;

/** The title of a document. */
export const TITLE_CHARS = 200;

/** The title of a stored source, beside its content. */
export const STORED_TITLE_CHARS = 150;

/** Titles, queries, errors and media types in one line of a list. */
export const LISTED_TEXT_CHARS = 80;

/** The heading above a passage. */
export const PASSAGE_HEADING_CHARS = 80;

/** A query in the log of the process. */
export const LOGGED_QUERY_CHARS = 100;

/** One line about a tool call of the runner. */
export const CALL_LINE_CHARS = 100;

/** The sentence of an error inside another reply, and other sentences of that importance. */
export const ERROR_CHARS = 300;

/** The hint of an error that is the whole reply. */
export const HINT_CHARS = 600;

/** An error on the terminal. */
export const ERROR_LINE_CHARS = 1_000;

/** The error of an indexing job. */
export const JOB_ERROR_CHARS = 500;

/** Why a page was not rendered or a setting is not used. */
export const REASON_CHARS = 240;

/** What an engine reports about a failure. */
export const DETAIL_CHARS = 120;

/** Why a source was not kept, and what to do. */
export const ADVICE_CHARS = 200;

/** A field beside the content of a reply. */
export const FIELD_CHARS = 200;

/** A field that holds a URL. */
export const URL_FIELD_CHARS = 300;

/** The path of an artifact: a clipped path is useless, so a longer one is left out. */
export const PATH_FIELD_CHARS = 600;

/** All warnings of a reply together. */
export const WARNINGS_CHARS = 900;
