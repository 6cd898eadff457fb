/** Formulas that pages show as images: the TeX is in the alternative text or in the image's URL. */

import type { Attributes } from "./tree.ts";

/** Class names of images that are formulas. */
const texName = /(?:^|[\s_-])(?:tex|latex|math|equation|formula)(?:$|[\s_-])/i;
/** A TeX command with its argument. File paths have backslashes too, but no braces. */
const texCommand = /\\[a-zA-Z]+\s*[{_^]|\\(?:frac|sqrt|sum|int|prod|infty|partial)\b/;

/** The TeX in an image's alternative text; undefined if the text is words. */
export function findTexInAlt(alt: string, className: string): string | undefined {
  const tex = /^(\$\$?)(?!\s)([^$]+)\1$/.exec(alt)?.[2] ?? alt;
  const isTex = texCommand.test(tex) || tex !== alt || (texName.test(className) && /[\\^_=+]|^\S{1,3}$/.test(tex));
  return isTex ? tex : undefined;
}

/** Whether an image is a formula. Wikipedia hides such images from screen readers, and the MathML beside them from sight. */
export function isFormulaImage(tag: string, attributes: Attributes | undefined): boolean {
  return tag === "img" && findTexInAlt(attributes?.alt?.trim() ?? "", attributes?.class ?? "") !== undefined;
}

/** Parts of the URLs of services that draw TeX. */
const texService = /latex|cht=tx|formula|equation|\btex\b|math/i;
const texParameters = ["chl", "math", "tex", "latex", "from"];
/** Commands for such a service, not for TeX: resolution, colours, size. */
const drawingCommand = /\\(?:dpi|[bf]g)_?(?:\{[^}]*\}|[a-z]+\b)|\\inline\b/g;

/** The TeX in the URL of a service that draws it; undefined for every other image. */
export function findTexInUrl(src: string): string | undefined {
  if (!/%5c|\\/i.test(src) || !texService.test(src)) return undefined;
  const url = src.replace(/#.*$/s, "");
  const queryStart = url.indexOf("?") + 1;
  const tex = queryStart === 0 ? decode(url.slice(url.lastIndexOf("/") + 1)) : findTexInQuery(url.slice(queryStart));
  // A file in a folder of Windows has backslashes too.
  return tex.includes("\\") && !/\.\w{3,4}$/.test(tex) ? tex : undefined;
}

/** The parameter that is the formula; else all of the query is one, in which a plus sign is not a space. */
function findTexInQuery(query: string): string {
  const parameters = new URLSearchParams(query);
  const name = texParameters.find((parameter) => parameters.has(parameter));
  if (name !== undefined) return parameters.get(name)?.trim() ?? "";
  return decode(query).replaceAll("&space;", " ").replace(drawingCommand, "").trim();
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // A URL with broken escapes contains no TeX that could be read.
    return "";
  }
}
