/** Finds values written inside prose, as JSON or as a Python repr, and what is left of the prose. */

/** How many places of one text are tried, so that a text full of braces costs bounded work. */
const mostTries = 16;

/** The values a text holds, outermost first, and the text without them. */
export function embeddedValues(text: string): { readonly prose: string; readonly values: readonly unknown[] } {
  const whole = parseJson(text);
  if (typeof whole === "string") return { prose: whole, values: [] };
  if (whole !== undefined) return { prose: "", values: [whole] };
  const values: unknown[] = [];
  let prose = "";
  let from = 0;
  for (let tries = 0, open = nextOpening(text, 0); open >= 0 && tries < mostTries; tries++) {
    const found = parseAt(text, open);
    if (found) {
      values.push(found.value);
      prose += `${text.slice(from, open)} `;
      from = found.end;
    }
    open = nextOpening(text, found?.end ?? open + 1);
  }
  return { prose: prose + text.slice(from), values };
}

/** The next brace or bracket that begins an object or a list of objects. */
function nextOpening(text: string, from: number): number {
  const at = text.slice(from).search(/\{\s*["'}]|\[\s*\{/);
  return at < 0 ? -1 : from + at;
}

function parseJson(text: string): unknown {
  if (!/^\s*["{[]/.test(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // Prose may begin with a bracket too.
  }
}

type Parsed = { readonly value: unknown; readonly end: number };

/** JSON and Python literals are one grammar here: either quote, `None` or `null`, `True` or `true`. */
function parseAt(text: string, start: number): Parsed | undefined {
  let at = start;
  const skip = () => {
    while (/\s/.test(text[at] ?? "")) at++;
  };

  function value(depth: number): unknown {
    skip();
    const next = text[at] ?? "";
    if (depth > 32) throw new SyntaxError("too deep");
    if (next === "{") return object(depth);
    if (next === "[" || next === "(") return list(depth, next === "[" ? "]" : ")");
    if (next === '"' || next === "'") return string(next);
    return word();
  }

  function object(depth: number): Record<string, unknown> {
    const entries: [string, unknown][] = [];
    at++;
    for (skip(); text[at] !== "}"; skip()) {
      const key = String(value(depth + 1));
      skip();
      expect(":");
      entries.push([key, value(depth + 1)]);
      skip();
      if (text[at] === ",") at++;
      else if (text[at] !== "}") throw new SyntaxError("no comma");
    }
    at++;
    return Object.fromEntries(entries);
  }

  function list(depth: number, close: string): unknown[] {
    const items: unknown[] = [];
    at++;
    for (skip(); text[at] !== close; skip()) {
      items.push(value(depth + 1));
      skip();
      if (text[at] === ",") at++;
      else if (text[at] !== close) throw new SyntaxError("no comma");
    }
    at++;
    return items;
  }

  function string(quote: string): string {
    let read = "";
    for (at++; text[at] !== quote; at++) {
      const unit = text[at];
      if (unit === undefined) throw new SyntaxError("no end");
      read += unit === "\\" ? escaped() : unit;
    }
    at++;
    return read;
  }

  function escaped(): string {
    const unit = text[++at] ?? "";
    if (unit !== "u") return { n: "\n", t: "\t", r: "\r", b: "\b", f: "\f" }[unit] ?? unit;
    const code = text.slice(at + 1, at + 5);
    at += 4;
    return String.fromCharCode(Number.parseInt(code, 16) || 0xfffd);
  }

  function word(): unknown {
    const [found = ""] = /^[\w.+-]+/.exec(text.slice(at, at + 64)) ?? [];
    if (found === "") throw new SyntaxError("no value");
    at += found.length;
    if (/^(none|null)$/i.test(found)) return null;
    if (/^(true|false)$/i.test(found)) return found.toLowerCase() === "true";
    const number = Number(found);
    return Number.isNaN(number) ? found : number;
  }

  function expect(unit: string): void {
    if (text[at] !== unit) throw new SyntaxError(`no ${unit}`);
    at++;
  }

  try {
    return { value: value(0), end: at };
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
