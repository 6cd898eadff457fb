/** Names from outside (a file, an owner, a run) in a form that is safe to store and to show. */
import { createHash } from "node:crypto";
import { NAME_CHARS } from "./clip-lengths.ts";

/** One word of a file name or an object key: the same for the same name, another for any other, readable if it can be. */
export function wordFor(name: string): string {
  if (/^[a-z0-9][a-z0-9_-]{0,63}$/.test(name)) return name;
  const readable = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, 40);
  return `${readable}.${createHash("sha256").update(name).digest("hex").slice(0, 16)}`;
}

/** A name of any length and content as one short line; the end of a name tells more than its middle. */
export function clip(name: string, maxChars = NAME_CHARS): string {
  const line = name.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu, " ");
  if (line.length <= maxChars) return line;
  const tail = Math.floor(maxChars / 3);
  return `${line.slice(0, maxChars - tail - 3).toWellFormed()}...${line.slice(-tail).toWellFormed()}`;
}

/**
 * A path in one line as it really is: characters that cannot be seen, or turn others around, stand as `\u{202e}`. The
 * same path where it has none of them.
 */
export function visiblePath(path: string): string {
  return path.replace(
    /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu,
    (hidden) => `\\u{${(hidden.codePointAt(0) ?? 0).toString(16)}}`,
  );
}

/** An address without the name and password that may stand in it. */
export function withoutUserinfo(address: string): string {
  return address.replace(/^(\s*[a-z][a-z0-9+.-]*:\/*)[^/?#\\]*@/i, "$1");
}
