/** Sentences about where a response came from. They repeat URLs that a server chose. */
import { URL_CHARS } from "../../system/clip-lengths.ts";
import { redactUrl } from "../../system/redact-url.ts";
import { clip } from "../../system/safe-names.ts";

const REDIRECTED = "Redirected to";
const READ_AS_MARKDOWN = "Read as Markdown from";

export const makeRedirectNote = (url: URL): string => `${REDIRECTED} ${formatUrl(url)}.`;

export const makeMarkdownNote = (url: URL): string => `${READ_AS_MARKDOWN} ${formatUrl(url)}.`;

/** Whether a note is one of these: readers get it as untrusted. Notes are stored as text, so their text must tell. */
export function quotesServer(note: string): boolean {
  return note.startsWith(REDIRECTED) || note.startsWith(READ_AS_MARKDOWN);
}

/** A URL in a sentence for the reader: short, without secrets, and in quotes, because its server chose its words. */
export const formatUrl = (url: URL): string => JSON.stringify(clip(redactUrl(url.href), URL_CHARS));
