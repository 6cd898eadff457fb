/** READMEs: which file of a folder is one, and its text without what only a browser shows. */
import type { TreeEntry } from "./tree.ts";

/** The README of a folder: the shortest name that begins so. */
export function findReadme(path: string, entries: readonly TreeEntry[]): string | undefined {
  const folder = path === "" ? "" : `${path}/`;
  return entries
    .filter(({ isFolder, path: each }) => !isFolder && each.startsWith(folder))
    .map((each) => each.path.slice(folder.length))
    .filter((name) => /^readme(\.(md|markdown|mdx|rst|txt|adoc|org))?$/i.test(name))
    .toSorted((one, other) => one.length - other.length)
    .map((name) => `${folder}${name}`)[0];
}

/** The same text without rows of badges and pictures, empty HTML around them, and comments. Code is left as it is. */
export function tidyReadme(markdown: string): string {
  const lines: string[] = [];
  let fence = "";
  let isComment = false;
  for (const line of markdown.split("\n")) {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1] ?? "";
    if (fence !== "") {
      if (mark.startsWith(fence)) fence = "";
      lines.push(line);
      continue;
    }
    if (!isComment) fence = mark;
    const { text, isOpen } = removeComments(line, isComment);
    const isLeftOut = text !== line && text.trim() === "";
    isComment = isOpen;
    if (!isLeftOut && !isDecoration(text)) lines.push(text);
  }
  return lines.join("\n").replace(/\n{3,}/g, "\n\n");
}

/** A line without its comments; one may begin in an earlier line or end in a later one. */
function removeComments(line: string, isInside: boolean): { readonly text: string; readonly isOpen: boolean } {
  let [text, rest, isOpen] = ["", line, isInside];
  for (;;) {
    const at = rest.indexOf(isOpen ? "-->" : "<!--");
    if (at < 0) return { text: isOpen ? text : text + rest, isOpen };
    if (!isOpen) text += rest.slice(0, at);
    rest = rest.slice(at + (isOpen ? 3 : 4));
    isOpen = !isOpen;
  }
}

/** Longer lines hold words. */
const MAX_DECORATION_CHARS = 4_000;
const picture = /!\[[^\]]*\](?:\([^()]*\)|\[[^\]]*\])|<img\b[^>]*>/;
const pictures = new RegExp(picture.source, "g");
const linkOfPicture = /\[\s*\](?:\([^()]*\)|\[[^\]]*\])/g;
const frame = /<\/?(?:a|p|br|div|center|picture|source|h\d|span|sub|table|tbody|tr|td)\b[^>]*>|&nbsp;|&ensp;|[\s|·•]/g;
const badgeDefinition = /^\[[^\]]+\]:\s*\S*(?:shields\.io|badge)\S*\s*$/i;

/** Pictures without words beside them, HTML that only frames, and where the picture of a badge is. */
function isDecoration(line: string): boolean {
  if (line.length > MAX_DECORATION_CHARS || line.trim() === "") return false;
  if (badgeDefinition.test(line)) return true;
  if (!picture.test(line) && !/^\s*</.test(line)) return false;
  return line.replace(pictures, "").replace(linkOfPicture, "").replace(frame, "") === "";
}
