/** Which URLs may be fetched, and the file name of what they return. */
import { SpillwayError } from "../../errors.ts";
import { PATH_CHARS } from "../../system/clip-lengths.ts";
import { redactUrl } from "../../system/redact-url.ts";
import { clip } from "../../system/safe-names.ts";

/** Parses a URL, or a reference from a page at `base`, without its fragment; throws for one that may not be fetched. */
export function parseTarget(given: string, base?: URL): URL {
  const url = URL.canParse(given, base?.href) ? new URL(given, base) : undefined;
  if (url === undefined) {
    throw new SpillwayError("url_invalid", "Invalid URL", { hint: "Write it in full: https://example.com/page." });
  }
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    throw new SpillwayError("network_refused", `A redirect to ${nameScheme(url)} is not followed.`, {
      hint: "Only http and https URLs are fetched.",
    });
  }
  if (url.username !== "" || url.password !== "") {
    throw new SpillwayError("network_refused", "A URL with a user name or password in it is not fetched.", {
      hint: "Remove them, and set the header for this host in network.headers.",
    });
  }
  url.hash = "";
  return url;
}

/** A scheme that is known. Of any other, only that it is another one: who redirects can write words there. */
function nameScheme({ protocol }: URL): string {
  const isKnown = /^(?:about|blob|data|file|ftp|javascript|mailto|tel|wss?):$/.test(protocol);
  return isKnown ? protocol : "a URL of another scheme";
}

/** On one line, without invisible characters: the name that the server gives, else the end of the path, else the host. */
export function findFileName(url: URL, headers: Readonly<Record<string, string>>): string {
  const disposition = headers["content-disposition"] ?? "";
  const extendedName = /filename\*\s*=\s*(?:utf-8|iso-8859-1)'[^']*'([^;\s]+)/i.exec(disposition)?.[1];
  const plainName = /filename\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;\s]+))/i.exec(disposition);
  const fileName =
    extendedName === undefined
      ? (plainName?.[1]?.replace(/\\(.)/g, "$1") ?? plainName?.[2])
      : decodePercent(extendedName);
  const name = lastPathSegment(fileName ?? "") || lastPathSegment(decodePercent(redactUrl(url.pathname))) || url.host;
  return clip(redactUrl(name), PATH_CHARS);
}

/** The name must not contain a path: the server does not choose where a file is stored. */
function lastPathSegment(path: string): string {
  return path.split(/[\\/]/).filter(Boolean).at(-1) ?? "";
}

function decodePercent(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // A stray % is kept as it is.
  }
}
