/** Reads pages of known sites through their API; the page itself is the fallback. */
import type { OpenedSource, OpenOptions, Source } from "../acquire/source.ts";
import { SpillwayError } from "../errors.ts";
import type { Session } from "../session/session.ts";
import { ADVICE_CHARS } from "../system/clip-lengths.ts";
import { clip } from "../system/safe-names.ts";
import { readToken } from "./site-token.ts";
import { type FoundSite, findSite } from "./sites.ts";

type SiteSession = Pick<Session, "settings" | "env" | "network">;

/** The same source, read through the API of its site where it has one. */
export function throughSite(source: Source, given: string, session: SiteSession): Source {
  const url = toUrl(given);
  if (url === undefined || session.network === undefined || session.settings["sites.api"] === "off") return source;
  const site = findSite(url, session.settings["sites.addresses"]);
  if (site === undefined) return source;
  const { given: shown, identity, fingerprint, revalidate, open } = source;
  return {
    given: shown,
    // A fragment chooses lines of a file, so it names another source.
    identity: `${identity}${url.hash}`,
    // What a private page says depends on the token.
    ...(fingerprint && {
      fingerprint: async () => JSON.stringify([site, url.hash, await findToken(site, session), await fingerprint()]),
    }),
    open: (options) => openPage({ url, site, session, openItself: () => open(options), options }),
    ...(revalidate && {
      revalidate: (_validators, options) => openPage({ url, site, session, openItself: () => open(options), options }),
    }),
  };
}

async function findToken(site: FoundSite, { env }: SiteSession): Promise<string | null> {
  const { token } = await site.load();
  return (token && readToken(token, env)) ?? null;
}

function toUrl(given: string): URL | undefined {
  const text = given.trim();
  return /^https?:/i.test(text) && URL.canParse(text) ? new URL(text) : undefined;
}

type PageRequest = {
  readonly url: URL;
  readonly site: FoundSite;
  readonly session: SiteSession;
  readonly options: OpenOptions;
  openItself(): Promise<OpenedSource>;
};

async function openPage({ url, site, session, options, openItself }: PageRequest): Promise<OpenedSource> {
  const { apiUrl, token, findPage } = await site.load();
  const page = findPage(url);
  const { network, env } = session;
  if (page === undefined || network === undefined) return openItself();
  const { openSiteApi } = await import("./site-api.ts");
  const access = { network, env, token, apiUrl: site.apiUrl ?? apiUrl, noCache: options.noCache ?? false };
  const api = openSiteApi({ ...access, signal: options.signal });
  try {
    return addRedirects(await page(api), api.redirectNotes());
  } catch (error) {
    options.signal.throwIfAborted();
    if (!isAboutAnswer(error)) throw error;
    const note = `The API of ${site.name} was not used: ${describe(error)}${hintFor(error, token?.names[0])}`;
    return addNote(await openItself(), note);
  }
}

/** A wrong setting is reported; everything else about an API means that the page itself is read. */
function isAboutAnswer(error: unknown): boolean {
  return !(error instanceof SpillwayError) || (error.code !== "key_invalid" && error.code !== "config_invalid");
}

function describe(error: unknown): string {
  if (error instanceof SpillwayError) return clip(error.message, ADVICE_CHARS);
  return "its answer has another form than expected.";
}

function hintFor(error: unknown, tokenName: string | undefined): string {
  const isLimited =
    error instanceof SpillwayError && error.code === "http_status" && /\b(401|403|429)\b/.test(error.message);
  return isLimited && tokenName !== undefined ? ` A token in ${tokenName} raises its limits.` : "";
}

/** A text from answers of other sites names them. */
function addRedirects(source: OpenedSource, notes: readonly string[]): OpenedSource {
  const { response } = source;
  if (response === undefined || notes.length === 0) return source;
  return { ...source, response: { ...response, isDirect: false, notes: [...response.notes, ...notes] } };
}

function addNote(source: OpenedSource, note: string): OpenedSource {
  const { response } = source;
  if (response === undefined) return source;
  // The API may answer the next time.
  return { ...source, response: { ...response, freshness: undefined, notes: [...response.notes, note] } };
}
