/** Writes the items of lists as Markdown: bullets of any shape become hyphens. */

/** Bullets as programs draw them, by depth; symbol fonts have theirs in the private use area. */
const bullets = ["•●‣\uf0b7\uf0a8*", "◦○o", "▪■□\uf0a7"] as const;
const item = new RegExp(`^[ \\t]*([${bullets.join("")}])(?:[ \\t]+|\\n(?=\\S))`, "gm");

/** The text with its list items marked. */
export function writeLists(text: string): string {
  const hasTopBullets = text.includes("•") || text.includes("●");
  return text
    .replace(item, (whole, bullet: string) => {
      const depth = bullets.findIndex((shapes) => shapes.includes(bullet));
      // The letter o is a bullet only below a real one.
      if ((bullet === "o" || bullet === "*") && !hasTopBullets) return whole;
      return `${"  ".repeat(hasTopBullets ? depth : 0)}- `;
    })
    .replace(/^([ \t]*\d{1,3}[.)])\t/gm, "$1 ");
}
