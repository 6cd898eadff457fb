/** Reads the claims about some bytes: the content-type header, and the extension in a URL, a path or a disposition. */
import { MIMEType } from "node:util";
import { extensions } from "./extensions.ts";
import type { Claims } from "./kind.ts";
import { canonicalizeMediaType, genericTypes } from "./media-types.ts";
import { findEncoding } from "./text/charset.ts";

/** What a content-type header claims; each part is null where it says nothing usable. */
export type HeaderClaim = { readonly mediaType: string | null; readonly charset: string | null };

/** The header's media type and charset; null where it is missing, malformed, or only says "bytes". */
export function readHeaderClaim({ headers }: Claims): HeaderClaim {
  const value = findHeader(headers, "content-type");
  if (value === undefined) return { mediaType: null, charset: null };
  const parsed = parseMediaType(value) ?? parseMediaType(value.split(",")[0] ?? "");
  if (parsed === null) return { mediaType: null, charset: null };
  const label = parsed.params.get("charset");
  const mediaType = canonicalizeMediaType(parsed.essence);
  return {
    mediaType: genericTypes.has(mediaType) ? null : mediaType,
    charset: label === null ? null : findEncoding(label),
  };
}

/** The media type that the name's extension suggests, or null. */
export function readExtensionClaim({ headers, url }: Claims): string | null {
  const attachmentName = readFileName(findHeader(headers, "content-disposition") ?? "");
  if (attachmentName !== null) return findExtensionType(attachmentName);
  if (url === undefined) return null;
  const isRemote = /^https?:/i.test(url);
  const path = isRemote ? url.replace(/^https?:\/\/[^/?#]*/i, "").replace(/[?#].*$/s, "") : url;
  const type = findExtensionType(path);
  // The extension of a server's script says nothing about its output.
  return isRemote && /\.(php\d?|aspx?|jspx?|cgi|pl|do|action|cfm|py|rb)$/i.test(path) ? null : type;
}

function findHeader(headers: Claims["headers"], name: string): string | undefined {
  if (headers === undefined) return undefined;
  const exact = headers[name];
  if (exact !== undefined) return exact;
  const key = Object.keys(headers).find((candidate) => candidate.toLowerCase() === name);
  return key === undefined ? undefined : headers[key];
}

function parseMediaType(value: string): MIMEType | null {
  try {
    return new MIMEType(value);
  } catch {
    return null; // A malformed type counts as missing.
  }
}

/** `filename*=UTF-8''a.pdf` is preferred to `filename="a.pdf"`. */
function readFileName(disposition: string): string | null {
  const extendedName = /filename\*\s*=\s*[\w-]*'[^']*'([^;]+)/i.exec(disposition)?.[1];
  return extendedName ?? /filename\s*=\s*"?([^";]+)"?/i.exec(disposition)?.[1] ?? null;
}

function findExtensionType(path: string): string | null {
  const extension = /\.([a-z0-9_+-]{1,12})["']?\s*$/i.exec(path.slice(-64))?.[1];
  return extension === undefined ? null : (extensions.get(extension.toLowerCase()) ?? null);
}
