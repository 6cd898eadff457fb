/** Reads a page in its Markdown form where the page links to one; the page itself is the fallback. */

import { peekChunks } from "./body/peek-chunks.ts";
import type { ResponseBody } from "./body/response-body.ts";
import { findMarkdownLink, MARKDOWN_LINK_PREFIX_BYTES } from "./markdown-link.ts";
import type { FinalResponse, FollowOptions } from "./redirects.ts";

/** A response and its decoded body. */
export type FetchedPage = { readonly response: FinalResponse; readonly body: ResponseBody };

type MarkdownOptions = Pick<FollowOptions, "send" | "headersFor" | "signal"> & {
  /** The caller's own signal, without the deadline. */
  readonly callerSignal: AbortSignal;
  openBody(response: FinalResponse): ResponseBody;
};

/** Enough bytes to see that a Markdown response is neither empty nor binary. */
const MARKDOWN_CHECK_BYTES = 1_024;

/** The Markdown form of an HTML page, or the page with all of its bytes where that form is missing or not text. */
export async function preferMarkdown(page: FetchedPage, options: MarkdownOptions): Promise<FetchedPage> {
  const { response, body } = page;
  if (response.status !== 200 || !/^(text\/html|application\/xhtml)/i.test(contentTypeOf(response))) return page;
  const { head, chunks } = await peekChunks(body.chunks, MARKDOWN_LINK_PREFIX_BYTES);
  const prefix = head.subarray(0, MARKDOWN_LINK_PREFIX_BYTES);
  const url = findMarkdownLink(response.url, response.headers.link ?? "", prefix);
  const markdown = url && (await readMarkdown(url, response.isDirect, options));
  if (!markdown) return { response, body: { ...body, chunks } };
  response.discard();
  return markdown;
}

/** Undefined whenever the Markdown form cannot be used: the page itself is still there. */
async function readMarkdown(url: URL, isDirect: boolean, options: MarkdownOptions): Promise<FetchedPage | undefined> {
  try {
    const sent = await options.send(url, options.headersFor(url, isDirect), options.signal);
    const response = { ...sent, url, hops: [], isDirect };
    const body = options.openBody(response);
    const isText = response.status === 200 && /^text\/(markdown|x-markdown|plain)\b/i.test(contentTypeOf(response));
    const start = isText ? await peekChunks(body.chunks, MARKDOWN_CHECK_BYTES) : undefined;
    if (start && start.head.length > 0 && !start.head.includes(0)) {
      return { response, body: { ...body, chunks: start.chunks } };
    }
    response.discard();
  } catch (error) {
    // If only the deadline has passed, the caller still gets the part of the page that arrived.
    if (options.callerSignal.aborted) throw error;
  }
  return undefined;
}

const contentTypeOf = ({ headers }: Pick<FinalResponse, "headers">): string => headers["content-type"]?.trim() ?? "";
