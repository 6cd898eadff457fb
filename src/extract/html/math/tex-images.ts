/** Formulas that pages show as pictures: their TeX stands in the text for readers who see none, or in the address. */

const texName = /(?:^|[\s_-])(?:tex|latex|math|equation|formula)(?:$|[\s_-])/i;
/** A command of TeX with what it acts upon; paths of files have no braces. */
const texCommand = /\\[a-zA-Z]+\s*[{_^]|\\(?:frac|sqrt|sum|int|prod|infty|partial)\b/;

/** The TeX that the text for a picture is, or undefined where that is words. */
export function texOfPicture(alt: string, className: string): string | undefined {
  const told = /^(\$\$?)(?!\s)([^$]+)\1$/.exec(alt)?.[2] ?? alt;
  const isFormula = texCommand.test(told) || told !== alt || (texName.test(className) && /[\\^_=+]/.test(told));
  return isFormula ? told : undefined;
}

const drawsTex = /latex|cht=tx|formula|equation|\btex\b|\bmath/i;

/** The TeX in the address of a service that draws it, or undefined for every other picture. */
export function texOfAddress(src: string): string | undefined {
  if (!/%5c|\\/i.test(src) || !drawsTex.test(src)) return undefined;
  const query = src.slice(src.indexOf("?") + 1);
  const told = /[?&]chl=([^&]*)/.exec(src)?.[1] ?? (query === src ? src.slice(src.lastIndexOf("/") + 1) : query);
  const tex = decoded(told)
    .replace(/\\(?:dpi|bg|fg)_?\{[^}]*\}/g, "")
    .trim();
  return tex.includes("\\") ? tex : undefined;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll("+", "%2B"));
  } catch {
    // An address that cannot be read tells no formula.
    return "";
  }
}
