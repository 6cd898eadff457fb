/** Reports XML as a tree: elements by name, attributes as `@name`, text beside either as `#text`. */
import { scanXml, type XmlTag } from "../xml/scan-xml.ts";
import type { PathStep } from "./path-steps.ts";
import { MAX_VALUE_CHARS, type TreeEvents, type TreeScanner } from "./tree-events.ts";

/** An element of which only the start tag was read: it may contain nothing but text. */
type OpenElement = {
  readonly key: string;
  /** Where its start tag is. */
  readonly at: number;
  readonly tagEnd: number;
  readonly attributes: ReturnType<XmlTag["list"]>;
};

type XmlOptions = {
  /** Keys count elements of the same name: `entry[0]`, `entry[1]`. */
  readonly isNumbered: boolean;
};

export function scanXmlTree(events: TreeEvents, options: XmlOptions): TreeScanner {
  const tree = new XmlTree(events, options);
  const scanner = scanXml({
    open: (name, tag, at, tagEnd) => tree.open(name, tag, at, tagEnd),
    close: (_name, end) => tree.close(end),
    text: (text) => tree.addText(text),
  });
  return {
    write(text) {
      if (!events.isDone) scanner.write(text);
    },
    end() {
      if (!events.isDone) scanner.end();
    },
  };
}

class XmlTree {
  readonly #events: TreeEvents;
  readonly #options: XmlOptions;
  /** For each open element, how many of each name it has; the first entry is the document. */
  readonly #counts: Map<string, number>[] = [new Map()];
  #element: OpenElement | undefined;
  #text = "";

  constructor(events: TreeEvents, options: XmlOptions) {
    [this.#events, this.#options] = [events, options];
    events.open("object", 0);
  }

  open(name: string, tag: XmlTag, at: number, tagEnd: number): void {
    if (this.#events.isDone) return;
    this.#flushElement();
    this.#flushText(at);
    const counts = this.#counts.at(-1);
    const nth = counts?.get(name) ?? 0;
    counts?.set(name, nth + 1);
    this.#element = { key: this.#number(name, nth), at, tagEnd, attributes: tag.list() };
    this.#counts.push(new Map());
  }

  close(end: number): void {
    if (this.#events.isDone || this.#counts.length === 1) return;
    this.#counts.pop();
    const element = this.#element;
    if (element?.attributes.length === 0) {
      this.#element = undefined;
      this.#events.key(element.key);
      this.#events.value(this.#takeText(), false, element.at, end);
      return;
    }
    this.#flushElement();
    this.#flushText(end);
    if (!this.#events.isDone) this.#events.close(end);
  }

  addText(text: string): void {
    if (this.#text.length < MAX_VALUE_CHARS) this.#text += text.slice(0, MAX_VALUE_CHARS);
  }

  /** Reports an element that contains more than text. */
  #flushElement(): void {
    const element = this.#element;
    if (element === undefined) return;
    this.#element = undefined;
    this.#events.key(element.key);
    this.#events.open("object", element.at);
    for (const [name, value] of element.attributes) {
      if (this.#events.isDone) return;
      this.#events.key(this.#number(`@${name}`, 0));
      this.#events.value(value.slice(0, MAX_VALUE_CHARS), false, element.at, element.tagEnd);
    }
  }

  #flushText(at: number): void {
    const text = this.#takeText();
    if (text === "" || this.#counts.length === 1 || this.#events.isDone) return;
    this.#events.key(this.#number("#text", 0));
    this.#events.value(text, false, at - text.length, at);
  }

  #takeText(): string {
    const text = this.#text.trim();
    this.#text = "";
    return text.slice(0, MAX_VALUE_CHARS);
  }

  #number(name: string, nth: number): string {
    return this.#options.isNumbered ? `${name}[${nth}]` : name;
  }
}

/** The steps as numbered keys: `$.feed.entry[3]` is the fourth entry of the first feed. */
export function toNumberedKeys(steps: readonly PathStep[]): string[] {
  return steps.flatMap((step, index) => {
    if (typeof step === "number") return [];
    const next = steps[index + 1];
    return [`${step}[${typeof next === "number" ? next : 0}]`];
  });
}
