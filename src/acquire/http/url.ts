/** The URLs that may be fetched, and what to call what they lead to. */
import { SpillwayError } from "../../errors.ts";
import { clipped } from "../../system/safe-names.ts";

/** Parses a URL, or a reference from a page at `base`; a fragment is the reader's own and never sent. */
export function parseTarget(given: string, base?: URL): URL {
  const url = URL.canParse(given, base?.href) ? new URL(given, base) : undefined;
  if (url === undefined) {
    throw new SpillwayError("url_invalid", "Invalid URL", { hint: "Write it in full: https://example.com/page." });
  }
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    throw new SpillwayError("network_refused", `A redirect to ${clipped(url.protocol)} is not followed.`, {
      hint: "Only http and https URLs are fetched.",
    });
  }
  if (url.username !== "" || url.password !== "") {
    throw new SpillwayError("network_refused", "A URL with a user name or password in it is not fetched.", {
      hint: "Take them out, and set the header for this host in network.headers.",
    });
  }
  url.hash = "";
  return url;
}

/** By the server's own name for it, else the end of the path, else the host. */
export function findFileName(url: URL, headers: Readonly<Record<string, string>>): string {
  const disposition = headers["content-disposition"] ?? "";
  const extended = /filename\*\s*=\s*(?:utf-8|iso-8859-1)'[^']*'([^;\s]+)/i.exec(disposition)?.[1];
  const plain = /filename\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;\s]+))/i.exec(disposition);
  const given = extended === undefined ? (plain?.[1]?.replace(/\\(.)/g, "$1") ?? plain?.[2]) : decodePercent(extended);
  return lastPathSegment(given ?? "") || lastPathSegment(decodePercent(url.pathname)) || url.host;
}

/** A path in a name would be somebody else's idea of where to put it. */
function lastPathSegment(path: string): string {
  return path.split(/[\\/]/).filter(Boolean).at(-1) ?? "";
}

function decodePercent(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // A stray % stands for itself.
  }
}
