/**
 * Finds the structure of YAML by its indentation: mappings, sequences, block scalars. Values in flow style, anchors and
 * tags are values as written. A text of several documents is an array of them.
 */
import { MAX_TREE_DEPTH, MAX_VALUE_CHARS, TreeDepthError, type TreeEvents, type TreeScanner } from "./tree-events.ts";

/** A mapping or sequence whose entries begin in this column. */
type Frame = { readonly indent: number; readonly kind: "object" | "array" };

const KEY =
  /^("(?:[^"\\]|\\.){0,1000}"|'(?:[^']|''){0,1000}'|[^\s#&*!|>%@`"'{}[\],-][^#]{0,1000}?|-[^\s:][^#]{0,1000}?)\s*:(?=\s|$)\s*/;

/** A longer line is read as far as this. */
const MAX_LINE_CHARS = 4_096;

export function scanYaml(events: TreeEvents, { isStream }: { readonly isStream: boolean }): TreeScanner {
  const scanner = new YamlScanner(events, isStream);
  return { write: (text) => scanner.write(text), end: () => scanner.end() };
}

class YamlScanner {
  readonly #events: TreeEvents;
  readonly #isStream: boolean;
  readonly #frames: Frame[] = [];
  #rest = "";
  #offset = 0;
  /** A block scalar: lines that are indented further belong to it. */
  #block: { readonly indent: number; readonly at: number; readonly text: string } | undefined;
  /** A key or dash whose value may follow in the next lines. */
  #pending: { readonly indent: number; readonly at: number } | undefined;

  constructor(events: TreeEvents, isStream: boolean) {
    [this.#events, this.#isStream] = [events, isStream];
    if (isStream) events.open("array", 0);
  }

  write(text: string): void {
    const all = this.#rest + text;
    let start = 0;
    for (let end = all.indexOf("\n"); end !== -1 && !this.#events.isDone; end = all.indexOf("\n", start)) {
      this.#readLine(all.slice(start, Math.min(end, start + MAX_LINE_CHARS)), this.#offset + start);
      start = end + 1;
    }
    this.#rest = all.slice(start);
    this.#offset += start;
  }

  end(): void {
    if (this.#rest !== "" && !this.#events.isDone) this.#readLine(this.#rest.slice(0, MAX_LINE_CHARS), this.#offset);
    this.#endDocument(this.#offset + this.#rest.length);
    if (this.#isStream && !this.#events.isDone) this.#events.close(this.#offset + this.#rest.length);
  }

  #readLine(line: string, at: number): void {
    const content = line.trimStart();
    if (content === "" || content.startsWith("#")) return;
    let indent = line.length - content.length;
    if (this.#block !== undefined && indent > this.#block.indent) return;
    this.#endBlock(at);
    if (indent === 0 && /^(---|\.\.\.|%)/.test(content)) {
      this.#endDocument(at);
      return;
    }
    let rest = content.trimEnd();
    this.#closeDeeper(indent, /^-(\s|$)/.test(rest), at);
    while (/^-(\s|$)/.test(rest)) {
      this.#openFrame("array", indent, at);
      const after = rest.slice(1).trimStart();
      this.#pending = { indent, at: at + indent };
      indent += rest.length - after.length;
      rest = after;
      if (rest === "" || rest.startsWith("#")) return;
    }
    this.#readEntry(rest, indent, at);
  }

  /** A key with or without a value, or a plain value. */
  #readEntry(text: string, indent: number, at: number): void {
    const match = KEY.exec(text);
    if (match === null) {
      this.#addValue(text, at + indent);
      return;
    }
    this.#openFrame("object", indent, at);
    this.#events.key(unquote(match[1] ?? ""));
    const value = text.slice(match[0].length);
    const valueAt = at + indent + match[0].length;
    this.#pending = { indent, at: valueAt };
    if (/^[|>]/.test(value)) this.#block = { indent, at: valueAt, text: value };
    else if (value !== "" && !value.startsWith("#")) this.#addValue(value, valueAt);
  }

  #addValue(text: string, at: number, end = at + text.length): void {
    // A value that continues in further lines was reported with its first.
    if (this.#pending === undefined && this.#frames.length > 0) return;
    this.#pending = undefined;
    const isQuoted = /^["']/.test(text);
    const plain = isQuoted ? unquote(text) : text.replace(/\s+#.*$/, "");
    this.#events.value(plain.slice(0, MAX_VALUE_CHARS), isQuoted, at, end);
  }

  #endBlock(end: number): void {
    const block = this.#block;
    this.#block = undefined;
    if (block !== undefined) this.#addValue(block.text, block.at, end);
  }

  #openFrame(kind: Frame["kind"], indent: number, at: number): void {
    const top = this.#frames.at(-1);
    if (top !== undefined && top.indent === indent && top.kind === kind) return;
    if (this.#frames.length === MAX_TREE_DEPTH) throw new TreeDepthError();
    this.#frames.push({ indent, kind });
    this.#pending = undefined;
    this.#events.open(kind, at);
  }

  /** Ends what is indented further than a line. A sequence may be as far left as the key before it. */
  #closeDeeper(indent: number, isEntry: boolean, at: number): void {
    for (;;) {
      const top = this.#frames.at(-1);
      if (top === undefined || this.#events.isDone) return;
      const isOver = top.indent > indent || (top.indent === indent && top.kind === "array" && !isEntry);
      if (!isOver) {
        if (this.#pending !== undefined && this.#pending.indent >= indent && !(isEntry && top.kind === "object"))
          this.#endPending();
        return;
      }
      this.#endPending();
      this.#frames.pop();
      this.#events.close(at);
    }
  }

  #endDocument(at: number): void {
    this.#endBlock(at);
    while (this.#frames.length > 0 && !this.#events.isDone) {
      this.#endPending();
      this.#frames.pop();
      this.#events.close(at);
    }
    this.#pending = undefined;
  }

  /** A key without a value has the value null. */
  #endPending(): void {
    if (this.#pending !== undefined) this.#addValue("null", this.#pending.at, this.#pending.at);
  }
}

function unquote(text: string): string {
  if (text.startsWith("'")) return text.replace(/^'(.*?)'?$/s, "$1").replaceAll("''", "'");
  return text.startsWith('"') ? text.replace(/^"(.*?)"?$/s, "$1") : text;
}
