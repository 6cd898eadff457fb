/** Removes what an error page does not show its reader: scripts, styles, templates, comments, and the tags themselves. */

const unseenElement = /<(script|style|template)\b|<!--/gi;

/** The text of an error page. Other texts lose scripts and comments only, because `<` may be a comparison. */
export function removeMarkup(text: string): string {
  const shown = removeUnseen(text);
  return /^\s*<(?:!doctype|html|head|body)\b/i.test(text) ? removeTags(shown) : shown;
}

/** An element that does not end takes the rest with it, as it does in a browser. */
function removeUnseen(text: string): string {
  const opening = new RegExp(unseenElement);
  let [kept, offset] = ["", 0];
  for (let match = opening.exec(text); match !== null; match = opening.exec(text)) {
    kept += `${text.slice(offset, match.index)} `;
    const closing = match[1] === undefined ? /-->/g : new RegExp(`</${match[1]}\\s*>`, "gi");
    closing.lastIndex = match.index;
    if (closing.exec(text) === null) return kept;
    offset = opening.lastIndex = closing.lastIndex;
  }
  return kept + text.slice(offset);
}

/** Tags with their attributes, which hold text that is not shown. A block ends a sentence. */
function removeTags(html: string): string {
  return html.replace(/<[^<>]*>/g, "\n");
}
