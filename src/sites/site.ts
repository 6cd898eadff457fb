/** The contract of web sites whose public API says what their pages say, in a form that a model reads better. */
import type { OpenedSource } from "../acquire/source.ts";

/** One site: a file and a line in `sites.ts`. */
export type Site = {
  /** The address of its API, unless the setting `sites.addresses` names another. */
  readonly apiUrl: string;
  /** Environment variables that may hold a token, in order of preference, and the header it is sent in. */
  readonly token?: SiteToken;
  /** The reader of a page of this site; undefined for pages that are read as they are. */
  findPage(url: URL): SitePage | undefined;
};

export type SiteToken = {
  readonly names: readonly string[];
  readonly makeHeader: (token: string) => RequestHeaders;
  /** The user name that git sends a token with. */
  readonly gitUser?: string;
};

export type RequestHeaders = Readonly<Record<string, string>>;

/** Reads one page through the API. What it throws means that the page itself is read. */
export type SitePage = (api: SiteApi) => Promise<OpenedSource>;

/** Requests to the API of one site, all behind the network guard. A path begins with a slash, or is a whole URL. */
export type SiteApi = {
  /** The parsed answer. */
  json(path: string, options?: ApiOptions): Promise<unknown>;
  text(path: string, options?: ApiOptions): Promise<BoundedText>;
  /** The answer as a source, for files of any kind and size. */
  open(path: string, options?: ApiOptions): Promise<OpenedSource>;
};

export type ApiOptions = { readonly accept?: string };

export type BoundedText = { readonly text: string; readonly isCut: boolean };
