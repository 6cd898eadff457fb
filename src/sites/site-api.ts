/** Requests to the API of one site, through the guarded client, with its token and no other. */

import type { HttpClient } from "../acquire/http/http-client.ts";
import { makeRedirectNote } from "../acquire/http/response-notes.ts";
import type { OpenedSource } from "../acquire/source.ts";
import type { Environment } from "../config/paths.ts";
import { SpillwayError } from "../errors.ts";
import type { ApiOptions, BoundedText, Site, SiteApi } from "./site.ts";
import { readToken } from "./site-token.ts";

export type SiteApiOptions = {
  readonly network: HttpClient;
  readonly apiUrl: string;
  readonly token: Site["token"];
  readonly env: Environment;
  readonly noCache: boolean;
  readonly signal: AbortSignal;
};

const MAX_JSON_BYTES = 24 * 1024 * 1024;
const MAX_TEXT_BYTES = 4 * 1024 * 1024;

/** The API, and what became known of its answers. */
export type OpenedSiteApi = SiteApi & {
  /** Which other sites answered in its place. */
  redirectNotes(): readonly string[];
};

export function openSiteApi({ network, apiUrl, token, env, noCache, signal }: SiteApiOptions): OpenedSiteApi {
  const otherOrigins = new Set<string>();
  const value = token && readToken(token, env);
  const credentials = token && value !== undefined ? token.makeHeader(value) : {};

  async function open(path: string, { accept = "application/json" }: ApiOptions = {}): Promise<OpenedSource> {
    const url = new URL(path.startsWith("/") ? `${apiUrl}${path}` : path);
    // The token is for the API alone; files that it names elsewhere are fetched without it.
    const isApi = url.origin === new URL(apiUrl).origin;
    const headers = { accept, ...(isApi ? credentials : {}) };
    const opened = await network.open(url, { prefers: "source", headers, noCache, signal });
    if ("unchanged" in opened) throw new TypeError("A fetch without validators was answered with 304.");
    return opened;
  }

  async function read(path: string, options: ApiOptions | undefined, maxBytes: number): Promise<BoundedText> {
    const opened = await open(path, options);
    if (opened.response?.isDirect === false && opened.location !== undefined)
      otherOrigins.add(new URL(opened.location).origin);
    return readText(opened, maxBytes);
  }

  return {
    open,
    async json(path, options) {
      const { text, isCut } = await read(path, options, MAX_JSON_BYTES);
      if (isCut) throw new LongAnswerError();
      return JSON.parse(text);
    },
    text: (path, options) => read(path, options, MAX_TEXT_BYTES),
    redirectNotes: () => [...otherOrigins].map((origin) => makeRedirectNote(new URL(origin))),
  };
}

/** An answer that is longer than is parsed. */
export class LongAnswerError extends SpillwayError {
  constructor() {
    super("response_invalid", "The API's answer is too long.", { hint: "Read the page with mode raw." });
  }
}

/** The text up to a limit; a character that the limit cuts is left out. */
export async function readText({ chunks }: Pick<OpenedSource, "chunks">, maxBytes: number): Promise<BoundedText> {
  const decoder = new TextDecoder();
  let [text, bytes] = ["", 0];
  for await (const chunk of chunks) {
    const room = maxBytes - bytes;
    text += decoder.decode(chunk.subarray(0, room), { stream: true });
    bytes += chunk.length;
    if (bytes > maxBytes) return { text, isCut: true };
  }
  return { text: text + decoder.decode(), isCut: false };
}
