/** Notes that stand in the middle of the line they belong to, and that a style sheet moves to the margin or unfolds. */
import { type Element, flatText } from "../tree/tree.ts";

const noteName = /^(?:side|margin|foot)[-_]?note(?:[-_]?(?:content|text|body))?$|^ltx_note_content$/i;
const noteHint = /note/i;
const noteTags = new Set(["span", "small"]);
const leastChars = 8;

/** Whether an element is the text of such a note, not only its mark. */
export function isSideNote({ tag, attributes: { class: className }, children }: Element): boolean {
  if (className === undefined || !noteTags.has(tag) || !noteHint.test(className)) return false;
  if (!className.split(/\s+/).some((name) => noteName.test(name))) return false;
  return children.length > 1 || textOf(children[0]).trim().length >= leastChars;
}

function textOf(node: Element | string | undefined): string {
  return typeof node === "object" ? flatText(node, leastChars) : (node ?? "");
}

/** Whether an element at the start of such a note says only which one it is. */
export function isNoteNumber(element: Element): boolean {
  return /^[[(]?(?:\d{1,3}|[*†‡§])[\])]?[.:]?$/.test(flatText(element, leastChars).trim());
}
