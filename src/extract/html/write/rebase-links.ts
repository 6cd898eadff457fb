/** Writes the links of a text relative to the address that makes them shortest. */
import type { Mark } from "../../handler.ts";
import { chooseLinkBase, relativeAddress } from "../tree/link-base.ts";
import { type PageLinks, toReadable } from "../tree/links.ts";

type MarkedText = { readonly text: string; readonly marks: readonly Mark[] };

/** With fewer links a text gains too little to be worth an unexpected base. */
const MIN_LINKS = 5;

/** Chooses a base for the links of a written text, and writes them relative to it. */
export function rebaseLinks({ text, marks }: MarkedText, { base, findTarget }: PageLinks) {
  const targets = base === undefined ? [] : listTargets(text, findTarget);
  if (base === undefined || targets.length < MIN_LINKS) return { text, marks, linkBase: base };
  const linkBase = chooseLinkBase(base, targets);
  return { ...(linkBase === base ? { text, marks } : rewriteLinks({ text, marks }, linkBase, findTarget)), linkBase };
}

/** Code, which is not changed; or the address of a link, an image or a row of the list of links. */
const codeOrAddress =
  /^[ >]*(?:[-*] |\d+\. )*(`{3,}|~{3,})[^\n]*\n[\s\S]*?\n[ >]*\1|`[^`\n]+`|(\]\()([^()\s]+)\)|^(\[\d+\]: )(\S+)$/gm;

function listTargets(text: string, findTarget: PageLinks["findTarget"]): readonly URL[] {
  const targets: URL[] = [];
  for (const [, , , inline, , listed = ""] of text.matchAll(codeOrAddress)) {
    const target = findTarget(inline ?? listed);
    if (target !== undefined && /^https?:$/.test(target.protocol)) targets.push(target);
  }
  return targets;
}

function rewriteLinks({ text, marks }: MarkedText, base: URL, findTarget: PageLinks["findTarget"]): MarkedText {
  const shifts: { readonly at: number; readonly by: number }[] = [];
  let by = 0;
  const rewritten = text.replace(codeOrAddress, (whole, _fence, open, inline, label, listed, at: number) => {
    const target = findTarget(inline ?? listed ?? "");
    if (target === undefined || !/^https?:$/.test(target.protocol)) return whole;
    const address = toReadable(relativeAddress(target, base));
    const link = inline === undefined ? `${label}${address}` : `${open}${address})`;
    by += link.length - whole.length;
    shifts.push({ at, by });
    return link;
  });
  return { text: rewritten, marks: shiftMarks(marks, shifts) };
}

/** Headings and shifts are both in the order of the text. */
function shiftMarks(marks: readonly Mark[], shifts: readonly { readonly at: number; readonly by: number }[]): Mark[] {
  let next = 0;
  let by = 0;
  return marks.map((mark) => {
    for (let shift = shifts[next]; shift !== undefined && shift.at < mark.at; shift = shifts[next]) {
      by = shift.by;
      next += 1;
    }
    return { ...mark, at: mark.at + by };
  });
}
