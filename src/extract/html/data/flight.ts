/**
 * Converts what React server components stream into a page ("flight" rows of elements) to the HTML that they would
 * show, so that it is read like any other page.
 */
import { isRecord } from "../../../system/json-values.ts";
import { parseJson } from "./page-json.ts";

/** The HTML of the stream, and one group of strings for each component whose code is not in the page. */
type FlightContent = { readonly html: string; readonly data: readonly Strings[] };
type Strings = Readonly<Record<string, string>>;

/** Reads the scripts that push the stream, in their order. A row may begin in one script and end in another. */
export function readFlight(scripts: readonly string[]): FlightContent {
  const rows = rowsOf(Buffer.from(scripts.flatMap(pushedStrings).join("")));
  return new Renderer(rows).render();
}

/** The strings in the calls of a script: `self.__next_f.push([1,"..."])`. */
function pushedStrings(script: string): readonly string[] {
  const strings: string[] = [];
  const push = /\.push\(\[1,\s*"/g;
  for (let match = push.exec(script); match !== null; match = push.exec(script)) {
    const end = endOfString(script, push.lastIndex);
    const text = parseJson(script.slice(push.lastIndex - 1, end + 1));
    if (typeof text === "string") strings.push(text);
    push.lastIndex = end + 1;
  }
  return strings;
}

function endOfString(text: string, from: number): number {
  for (let index = from; index < text.length; index += 1) {
    if (text[index] === "\\") index += 1;
    else if (text[index] === '"') return index;
  }
  return text.length;
}

type Rows = ReadonlyMap<string, unknown>;

const NEWLINE = 0x0a;
/** A text row begins with its length in bytes. */
const textRowHead = /^T([\da-f]{1,8}),/;

/** Rows by id: `1a:` followed by JSON up to the end of the line, or by a length and a text of that length. */
function rowsOf(stream: Buffer): Rows {
  const rows = new Map<string, unknown>();
  for (let offset = 0; offset < stream.length; ) {
    const [head = "", id = ""] = /^([\da-f]*):/.exec(stream.toString("latin1", offset, offset + 20)) ?? [];
    const start = offset + head.length;
    const [size, bytes] = textRowHead.exec(stream.toString("latin1", start, start + 12)) ?? [];
    if (head !== "" && size !== undefined && bytes !== undefined) {
      offset = start + size.length + Number.parseInt(bytes, 16);
      rows.set(id, stream.toString("utf8", start + size.length, offset));
      continue;
    }
    const lineEnd = stream.indexOf(NEWLINE, start);
    offset = lineEnd < 0 ? stream.length : lineEnd + 1;
    // Rows of other kinds (modules, hints, errors) are not JSON and become undefined.
    if (head !== "") rows.set(id, parseJson(stream.toString("utf8", start, offset)));
  }
  return rows;
}

/** A string that refers to another row. */
const rowReference = /^\$[L@]?([\da-f]+)$/;
const MAX_NODES = 200_000;
const MAX_LEVELS = 300;
const MAX_GROUPS = 20_000;
const invisibleTags = new Set(["script", "style", "link", "meta", "head", "title", "template", "noscript"]);
/** HTML attributes by the names of React's properties. */
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
  readonly #visited = new Set<string>();
  readonly #markup: string[] = [];
  readonly #data: Strings[] = [];
  #nodes = 0;

  constructor(rows: Rows) {
    this.#rows = rows;
  }

  /** Begins with the first row, which is the page; rows that nothing refers to follow. */
  render(): FlightContent {
    for (const id of ["0", ...this.#rows.keys()]) if (!this.#visited.has(id)) this.#addRow(id, 0, false);
    return { html: this.#markup.join(""), data: this.#data.slice(0, MAX_GROUPS) };
  }

  #addRow(id: string, level: number, isShown: boolean): void {
    const value = this.#rows.get(id);
    this.#visited.add(id);
    if (typeof value === "string" && !isShown) this.#data.push({ text: value });
    else this.#add(value, level, isShown);
  }

  /** The children of elements are shown; any other string is data. */
  #add(value: unknown, level: number, isShown: boolean): void {
    this.#nodes += 1;
    if (this.#nodes > MAX_NODES || level > MAX_LEVELS) return;
    if (typeof value === "string") this.#addString(value, level, isShown);
    else if (typeof value === "number" && isShown) this.#markup.push(String(value));
    else if (Array.isArray(value)) {
      if (value[0] === "$" && typeof value[1] === "string") this.#addElement(value[1], value[3], level + 1);
      else if (isShown) for (const each of value) this.#add(each, level + 1, true);
      else this.#addRecord({ ...value }, level + 1);
    } else if (isRecord(value)) this.#addRecord(value, level + 1);
  }

  #addString(text: string, level: number, isShown: boolean): void {
    const id = rowReference.exec(text)?.[1];
    if (id !== undefined) {
      if (!this.#visited.has(id)) this.#addRow(id, level + 1, isShown);
    } else if (isShown && (!text.startsWith("$") || text.startsWith("$$")))
      this.#markup.push(escapeMarkup(text.replace(/^\$\$/, "$")));
  }

  #addElement(tag: string, properties: unknown, level: number): void {
    if (!isRecord(properties) || invisibleTags.has(tag)) return;
    const { children, ...others } = properties;
    const isElement = /^[a-z][a-z\d-]*$/.test(tag);
    if (!isElement) this.#addRecord(others, level);
    if (isElement) this.#markup.push(`<${tag}${attributesOf(others)}>${this.#innerHtml(others)}`);
    this.#add(children, level, true);
    if (isElement) this.#markup.push(`</${tag}>`);
  }

  #innerHtml({ dangerouslySetInnerHTML: inner }: Record<string, unknown>): string {
    return isRecord(inner) ? (this.#text(inner.__html) ?? "") : "";
  }

  /** Adds the properties of a component: elements in them are shown, strings are data. */
  #addRecord(record: Readonly<Record<string, unknown>>, level: number): void {
    const strings: Record<string, string> = {};
    for (const [name, value] of Object.entries(record)) {
      const text = this.#text(value);
      if (text !== undefined) strings[name] = text;
      else if (name !== "fallback") this.#add(value, level, false);
    }
    this.#data.push(strings);
  }

  /** A string, or the text row that it refers to. */
  #text(value: unknown): string | undefined {
    const id = typeof value === "string" ? rowReference.exec(value)?.[1] : undefined;
    const text = id === undefined ? value : this.#rows.get(id);
    if (typeof text !== "string") return undefined;
    if (id !== undefined) this.#visited.add(id);
    return text;
  }
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
