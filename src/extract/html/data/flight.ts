/**
 * What React server components stream into a page: rows of elements that its scripts would show. They are written as
 * the HTML that they stand for, so that they are read like any other page.
 */

/** The HTML of what was streamed, and the strings, one group each, handed to components whose code is not there. */
export type Streamed = { readonly html: string; readonly data: readonly Strings[] };
type Strings = Readonly<Record<string, string>>;

/** Reads the scripts that push the stream, in their order; rows may begin in one and end in another. */
export function readFlight(scripts: readonly string[]): Streamed {
  const rows = rowsOf(Buffer.from(scripts.flatMap(pushedStrings).join("")));
  return new Renderer(rows).render();
}

/** The strings that a script pushes: `self.__next_f.push([1,"..."])`. */
function pushedStrings(script: string): readonly string[] {
  const found: string[] = [];
  const push = /\.push\(\[1,\s*"/g;
  for (let match = push.exec(script); match !== null; match = push.exec(script)) {
    const end = endOfString(script, push.lastIndex);
    const text = parseJson(script.slice(push.lastIndex - 1, end + 1));
    if (typeof text === "string") found.push(text);
    push.lastIndex = end + 1;
  }
  return found;
}

function endOfString(text: string, from: number): number {
  for (let at = from; at < text.length; at += 1) {
    if (text[at] === "\\") at += 1;
    else if (text[at] === '"') return at;
  }
  return text.length;
}

/** `undefined` for what is no JSON: pages carry broken data, and what cannot be read is as good as absent. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

type Rows = ReadonlyMap<string, unknown>;

const newline = 0x0a;
/** Text rows tell their length in bytes. */
const textRow = /^T([\da-f]{1,8}),/;

/** Rows by their ids: `1a:` and then JSON up to the end of the line, or a text of a length that it tells. */
function rowsOf(stream: Buffer): Rows {
  const rows = new Map<string, unknown>();
  for (let at = 0; at < stream.length; ) {
    const [head = "", id = ""] = /^([\da-f]*):/.exec(stream.toString("latin1", at, at + 20)) ?? [];
    const start = at + head.length;
    const [size, bytes] = textRow.exec(stream.toString("latin1", start, start + 12)) ?? [];
    if (head !== "" && size !== undefined && bytes !== undefined) {
      at = start + size.length + Number.parseInt(bytes, 16);
      rows.set(id, stream.toString("utf8", start + size.length, at));
      continue;
    }
    const lineEnd = stream.indexOf(newline, start);
    at = lineEnd < 0 ? stream.length : lineEnd + 1;
    // Rows of other kinds name modules, hints and errors.
    if (head !== "") rows.set(id, parseJson(stream.toString("utf8", start, at)));
  }
  return rows;
}

/** A string that stands for another row. */
const reference = /^\$[L@]?([\da-f]+)$/;
const mostNodes = 200_000;
const mostLevels = 300;
const mostGroups = 20_000;
const unshown = new Set(["script", "style", "link", "meta", "head", "title", "template", "noscript"]);
/** Attributes by the names of React's properties. */
const attributeNames: Readonly<Record<string, string>> = {
  className: "class",
  href: "href",
  id: "id",
  role: "role",
  alt: "alt",
  hidden: "hidden",
};

class Renderer {
  readonly #rows: Rows;
  readonly #begun = new Set<string>();
  readonly #pieces: string[] = [];
  readonly #data: Strings[] = [];
  #nodes = 0;

  constructor(rows: Rows) {
    this.#rows = rows;
  }

  /** From the first row, which is the page; rows that nothing refers to come after. */
  render(): Streamed {
    for (const id of ["0", ...this.#rows.keys()]) if (!this.#begun.has(id)) this.#addRow(id, 0, false);
    return { html: this.#pieces.join(""), data: this.#data.slice(0, mostGroups) };
  }

  #addRow(id: string, level: number, isShown: boolean): void {
    const value = this.#rows.get(id);
    this.#begun.add(id);
    if (typeof value === "string" && !isShown) this.#data.push({ text: value });
    else this.#add(value, level, isShown);
  }

  /** Shown are the children of elements; elsewhere a string is data. */
  #add(value: unknown, level: number, isShown: boolean): void {
    this.#nodes += 1;
    if (this.#nodes > mostNodes || level > mostLevels) return;
    if (typeof value === "string") this.#addString(value, level, isShown);
    else if (typeof value === "number" && isShown) this.#pieces.push(String(value));
    else if (Array.isArray(value)) {
      if (value[0] === "$" && typeof value[1] === "string") this.#addElement(value[1], value[3], level + 1);
      else if (isShown) for (const each of value) this.#add(each, level + 1, true);
      else this.#addRecord({ ...value }, level + 1);
    } else if (isRecord(value)) this.#addRecord(value, level + 1);
  }

  #addString(text: string, level: number, isShown: boolean): void {
    const id = reference.exec(text)?.[1];
    if (id !== undefined) {
      if (!this.#begun.has(id)) this.#addRow(id, level + 1, isShown);
    } else if (isShown && (!text.startsWith("$") || text.startsWith("$$")))
      this.#pieces.push(escapeMarkup(text.replace(/^\$\$/, "$")));
  }

  #addElement(tag: string, properties: unknown, level: number): void {
    if (!isRecord(properties) || unshown.has(tag)) return;
    const { children, ...others } = properties;
    const isElement = /^[a-z][a-z\d-]*$/.test(tag);
    if (!isElement) this.#addRecord(others, level);
    if (isElement) this.#pieces.push(`<${tag}${attributesOf(others)}>${this.#innerHtml(others)}`);
    this.#add(children, level, true);
    if (isElement) this.#pieces.push(`</${tag}>`);
  }

  #innerHtml({ dangerouslySetInnerHTML: inner }: Record<string, unknown>): string {
    return isRecord(inner) ? (this.#text(inner.__html) ?? "") : "";
  }

  /** Properties of a component: elements in them are shown, their strings are data. */
  #addRecord(record: Readonly<Record<string, unknown>>, level: number): void {
    const strings: Record<string, string> = {};
    for (const [name, value] of Object.entries(record)) {
      const text = this.#text(value);
      if (text !== undefined) strings[name] = text;
      else if (name !== "fallback") this.#add(value, level, false);
    }
    this.#data.push(strings);
  }

  /** A string, or the row of text that it refers to. */
  #text(value: unknown): string | undefined {
    const id = typeof value === "string" ? reference.exec(value)?.[1] : undefined;
    const text = id === undefined ? value : this.#rows.get(id);
    if (typeof text !== "string") return undefined;
    if (id !== undefined) this.#begun.add(id);
    return text;
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function attributesOf(properties: Readonly<Record<string, unknown>>): string {
  return Object.entries(properties)
    .map(([name, value]) => {
      const attribute = attributeNames[name];
      if (attribute === undefined || (typeof value !== "string" && value !== true)) return "";
      return ` ${attribute}="${value === true ? "" : escapeMarkup(value).replaceAll('"', "&quot;")}"`;
    })
    .join("");
}

function escapeMarkup(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}
