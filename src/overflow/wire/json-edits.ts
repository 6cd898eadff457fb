/** Changes to a request, in place: only the named values become others; every other value or byte stays what it was. */

/** The way to a value: `["messages", 3, "content"]`. */
export type Path = readonly (string | number)[];

export type Edit = { readonly at: Path; readonly value: unknown };

/** The value with the edits applied; whatever they do not touch is shared with the original. */
export function applyEdits<T>(value: T, edits: readonly Edit[]): T {
  return edits.reduce((edited, { at, value: next }) => replaceAt(edited, at, next) as T, value);
}

function replaceAt(value: unknown, [key, ...rest]: Path, next: unknown): unknown {
  if (key === undefined) return next;
  if (Array.isArray(value)) return value.with(Number(key), replaceAt(value[Number(key)], rest, next));
  const fields = value as Record<string, unknown>;
  return { ...fields, [key]: replaceAt(fields[key], rest, next) };
}

/** The JSON text with the edits spliced in: all other bytes stay, down to spaces, escapes and the digits of numbers. */
export function spliceEdits(json: string, edits: readonly Edit[]): string {
  const spans: Span[] = [];
  findSpans(json, skipSpace(json, 0), treeOf(edits), spans);
  if (spans.length < edits.length) throw new RangeError("an edit names a value that is not there");
  let edited = "";
  let from = 0;
  for (const { start, end, text } of spans) {
    edited += json.slice(from, start) + text;
    from = end;
  }
  return edited + json.slice(from);
}

/** The text of one value as it was written. */
export function textAt(json: string, at: Path): string {
  const spans: Span[] = [];
  findSpans(json, skipSpace(json, 0), treeOf([{ at, value: null }]), spans);
  const [span] = spans;
  if (span === undefined) throw new RangeError("no value is there");
  return json.slice(span.start, span.end);
}

type Span = { readonly start: number; readonly end: number; readonly text: string };

/** The edits by the steps of their paths, so that one pass over the text finds them all. */
type Tree = { text?: string; readonly inner: Map<string, Tree> };

function treeOf(edits: readonly Edit[]): Tree {
  const root: Tree = { inner: new Map() };
  for (const { at, value } of edits) {
    let node = root;
    for (const step of at) {
      const next = node.inner.get(String(step)) ?? { inner: new Map() };
      node.inner.set(String(step), next);
      node = next;
    }
    node.text = JSON.stringify(value);
  }
  return root;
}

/** Collects the spans below a value in their order and gives back where the value ends. */
function findSpans(json: string, start: number, tree: Tree | undefined, spans: Span[]): number {
  if (tree?.text !== undefined) {
    const end = endOfValue(json, start);
    spans.push({ start, end, text: tree.text });
    return end;
  }
  if (tree === undefined || (json[start] !== "{" && json[start] !== "[")) return endOfValue(json, start);
  return json[start] === "{" ? findInObject(json, start, tree, spans) : findInList(json, start, tree, spans);
}

/** Of members with the same name the last one counts, as `JSON.parse` has it. */
function findInObject(json: string, object: number, tree: Tree, spans: Span[]): number {
  const found = new Map<string, Span[]>();
  let at = skipSpace(json, object + 1);
  while (json[at] !== "}") {
    const keyEnd = endOfValue(json, at);
    const name: string = JSON.parse(json.slice(at, keyEnd));
    const value = skipSpace(json, skipSpace(json, keyEnd) + 1);
    const inside: Span[] = [];
    at = nextItem(json, findSpans(json, value, tree.inner.get(name), inside));
    if (inside.length > 0) found.set(name, inside);
  }
  spans.push(...[...found.values()].flat().sort((one, other) => one.start - other.start));
  return at + 1;
}

function findInList(json: string, list: number, tree: Tree, spans: Span[]): number {
  let at = skipSpace(json, list + 1);
  for (let index = 0; json[at] !== "]"; index++) {
    at = nextItem(json, findSpans(json, at, tree.inner.get(String(index)), spans));
  }
  return at + 1;
}

/** The start of the next item, or the closing bracket. */
function nextItem(json: string, end: number): number {
  const at = skipSpace(json, end);
  return json[at] === "," ? skipSpace(json, at + 1) : at;
}

function endOfValue(json: string, start: number): number {
  const first = json[start];
  if (first === '"') return endOfString(json, start);
  if (first === "{" || first === "[") return endOfBrackets(json, start);
  let end = start;
  while (end < json.length && !/[,\]}\s]/.test(json[end] ?? "")) end++;
  return end;
}

/** Long strings are jumped over from quote to quote. */
function endOfString(json: string, start: number): number {
  for (let quote = json.indexOf('"', start + 1); quote >= 0; quote = json.indexOf('"', quote + 1)) {
    let slashes = 0;
    while (json.charCodeAt(quote - 1 - slashes) === 0x5c) slashes++;
    if (slashes % 2 === 0) return quote + 1;
  }
  throw new SyntaxError("a string without an end");
}

function endOfBrackets(json: string, start: number): number {
  let depth = 0;
  for (let at = start; at < json.length; at++) {
    const unit = json[at];
    if (unit === '"') at = endOfString(json, at) - 1;
    else if (unit === "{" || unit === "[") depth++;
    else if ((unit === "}" || unit === "]") && --depth === 0) return at + 1;
  }
  throw new SyntaxError("a bracket without its other half");
}

function skipSpace(json: string, at: number): number {
  let next = at;
  while (/\s/.test(json[next] ?? "")) next++;
  return next;
}
