/** Names from outside (a file, an owner, a run) in a form that is safe to store and to display. */
import { NAME_CHARS } from "./clip-lengths.ts";
import { removeInvisible } from "./invisible-characters.ts";

/** One path component for a name: deterministic, different for different names, readable where possible. */
export function safeFileName(name: string): string {
  if (/^[a-z0-9][a-z0-9_-]{0,63}$/.test(name)) return name;
  const readable = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, 40);
  // Every command loads this file and few hash a name: loading the module takes 4 ms.
  const { createHash } = process.getBuiltinModule("node:crypto");
  return `${readable}.${createHash("sha256").update(name).digest("hex").slice(0, 16)}`;
}

/** Shortens any text to one line. The middle is cut, because the end of a name says more. */
export function clip(name: string, maxChars = NAME_CHARS): string {
  // Nearly every name is plain ASCII, and a listing has hundreds.
  const isPlain = /^[\x20-\x7e]*$/.test(name);
  const line = isPlain ? name : removeInvisible(name.replace(/[\p{Cc}\p{Zl}\p{Zp}\p{Cs}]/gu, " "));
  if (line.length <= maxChars) return line;
  const tail = Math.floor(maxChars / 3);
  return `${line.slice(0, maxChars - tail - 3).toWellFormed()}...${line.slice(-tail).toWellFormed()}`;
}

/**
 * A path on one line: invisible characters and direction overrides are escaped as `\u{202e}`. A path without them is
 * unchanged.
 */
export function escapePath(path: string): string {
  return path.replace(
    /[[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Default_Ignorable_Code_Point}]--[\u{fe0e}\u{fe0f}]]/gv,
    (hidden) => `\\u{${(hidden.codePointAt(0) ?? 0).toString(16)}}`,
  );
}
