/** Separates values embedded in prose, as JSON or as a Python repr, from the prose. */

/** Bounds the work for a text full of braces. */
const MAX_TRIES = 16;
const MAX_DEPTH = 32;
const MAX_WORD_CHARS = 64;

/** The outermost values in a text, and the text without them. */
export function parseEmbeddedValues(text: string): { readonly prose: string; readonly values: readonly unknown[] } {
  const whole = parseJson(text);
  if (typeof whole === "string") return { prose: whole, values: [] };
  if (whole !== undefined) return { prose: "", values: [whole] };
  const values: unknown[] = [];
  let prose = "";
  let proseStart = 0;
  for (let tries = 0, open = nextOpening(text, 0); open >= 0 && tries < MAX_TRIES; tries++) {
    const parsed = parseAt(text, open);
    if (parsed) {
      values.push(parsed.value);
      prose += `${text.slice(proseStart, open)} `;
      proseStart = parsed.end;
    }
    open = nextOpening(text, parsed?.end ?? open + 1);
  }
  return { prose: prose + text.slice(proseStart), values };
}

/** The next brace or bracket that begins an object or a list of objects. */
function nextOpening(text: string, start: number): number {
  const offset = text.slice(start).search(/\{\s*["'}]|\[\s*\{/);
  return offset < 0 ? -1 : start + offset;
}

function parseJson(text: string): unknown {
  if (!/^\s*["{[]/.test(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // Prose may also begin with a bracket.
  }
}

type Parsed = { readonly value: unknown; readonly end: number };

/** Parses JSON and Python literals with one grammar: either quote, `None` or `null`, `True` or `true`. */
function parseAt(text: string, start: number): Parsed | undefined {
  let position = start;
  const skip = () => {
    while (/\s/.test(text[position] ?? "")) position++;
  };

  function readValue(depth: number): unknown {
    skip();
    const next = text[position] ?? "";
    if (depth > MAX_DEPTH) throw new SyntaxError("too deep");
    if (next === "{") return readObject(depth);
    if (next === "[" || next === "(") return readList(depth, next === "[" ? "]" : ")");
    if (next === '"' || next === "'") return readString(next);
    return readWord();
  }

  function readObject(depth: number): Record<string, unknown> {
    const entries: [string, unknown][] = [];
    position++;
    for (skip(); text[position] !== "}"; skip()) {
      const key = String(readValue(depth + 1));
      skip();
      expect(":");
      entries.push([key, readValue(depth + 1)]);
      skip();
      if (text[position] === ",") position++;
      else if (text[position] !== "}") throw new SyntaxError("no comma");
    }
    position++;
    return Object.fromEntries(entries);
  }

  function readList(depth: number, close: string): unknown[] {
    const items: unknown[] = [];
    position++;
    for (skip(); text[position] !== close; skip()) {
      items.push(readValue(depth + 1));
      skip();
      if (text[position] === ",") position++;
      else if (text[position] !== close) throw new SyntaxError("no comma");
    }
    position++;
    return items;
  }

  function readString(quote: string): string {
    let content = "";
    for (position++; text[position] !== quote; position++) {
      const unit = text[position];
      if (unit === undefined) throw new SyntaxError("no end");
      content += unit === "\\" ? readEscape() : unit;
    }
    position++;
    return content;
  }

  function readEscape(): string {
    const unit = text[++position] ?? "";
    if (unit !== "u") return { n: "\n", t: "\t", r: "\r", b: "\b", f: "\f" }[unit] ?? unit;
    const code = text.slice(position + 1, position + 5);
    position += 4;
    return String.fromCharCode(Number.parseInt(code, 16) || 0xfffd);
  }

  function readWord(): unknown {
    const [word = ""] = /^[\w.+-]+/.exec(text.slice(position, position + MAX_WORD_CHARS)) ?? [];
    if (word === "") throw new SyntaxError("no value");
    position += word.length;
    if (/^(none|null)$/i.test(word)) return null;
    if (/^(true|false)$/i.test(word)) return word.toLowerCase() === "true";
    const number = Number(word);
    return Number.isNaN(number) ? word : number;
  }

  function expect(unit: string): void {
    if (text[position] !== unit) throw new SyntaxError(`no ${unit}`);
    position++;
  }

  try {
    return { value: readValue(0), end: position };
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
