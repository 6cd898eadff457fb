/** YAML: lines are added, replaced and removed in place, so that comments and layout stay. */
import {
  isMap,
  isPair,
  isScalar,
  isSeq,
  type Node,
  type Pair,
  parseDocument,
  type Scalar,
  stringify,
  type YAMLMap,
  type YAMLSeq,
} from "yaml";
import {
  type ConfigChange,
  type ConfigFormat,
  ConfigFormError,
  type ConfigPath,
  ConfigSyntaxError,
  type ConfigValue,
  type PathStep,
} from "./config-format.ts";
import { writeFields, writeInline } from "./inline-json.ts";
import { spliceHead, spliceLines } from "./list-head.ts";
import {
  applySplices,
  describePlace,
  endLine,
  findEol,
  lineEnd,
  lineStart,
  nextLine,
  type Splice,
} from "./text-splices.ts";

type Collection = YAMLMap | YAMLSeq;

export const yamlFormat: ConfigFormat = {
  parse(text) {
    const value: unknown = parseRoot(text).toJS() ?? {};
    if (typeof value !== "object" || Array.isArray(value)) throw new ConfigSyntaxError("its value is not a map");
    return value;
  },

  edit(text, changes) {
    const { contents } = parseRoot(text);
    if (contents !== null)
      return applySplices(
        text,
        changes.flatMap((change) => planChange(text, contents, change)),
      );
    const [first, ...others] = changes.filter(({ value }) => value !== undefined);
    if (first?.value === undefined) return text;
    const block = writeBlock(nest(first.path, first.value), { indent: 0, eol: findEol(text) });
    return this.edit(endLine(text) + block, others);
  },
};

function planChange(text: string, root: Node, { path, value }: ConfigChange): Splice[] {
  const { node, key, rest, parent, item } = descend(root, path);
  if (value === undefined) {
    if (rest.length > 0 || parent === undefined || item === undefined) return [];
    return isInFlow(parent) ? removeFromFlow(parent, item) : removeFromBlock(text, parent, item);
  }
  if (rest.length === 0) return replaceValue(text, node, value);
  const added = nest(rest, value);
  if (isCollection(node)) return isInFlow(node) ? insertInFlow(text, node, added) : insertInBlock(text, node, added);
  if (isScalar(node) && node.value === null && key !== undefined) return fillEmpty(text, { node, key, item: added });
  throw new ConfigFormError("a map or a list is expected where another value is");
}

function parseRoot(text: string) {
  const document = parseDocument(text, { keepSourceTokens: true });
  const [error] = document.errors;
  if (error === undefined) return document;
  const [sentence = ""] = error.message.split(/ at line |:?\n/);
  throw new ConfigSyntaxError(`${sentence} at ${describePlace(text, error.pos[0])}`, { cause: error });
}

/** The innermost node on a path, the steps below it, and what holds it. */
type Found = {
  readonly node: Node;
  readonly rest: ConfigPath;
  readonly parent?: Collection;
  /** The pair or the list item that is the node. */
  readonly item?: Pair | Node;
  readonly key?: Node;
};

function descend(root: Node, path: ConfigPath): Found {
  let found: Found = { node: root, rest: path };
  for (const [index, step] of path.entries()) {
    const { node } = found;
    const below = isCollection(node) ? findItem(node, step) : undefined;
    if (below === undefined || !isCollection(node)) return { ...found, rest: path.slice(index) };
    found = { ...below, parent: node, rest: [] };
  }
  return found;
}

function findItem(collection: Collection, step: PathStep): Pick<Found, "node" | "item" | "key"> | undefined {
  if (typeof step !== "string") {
    const item = isSeq(collection)
      ? collection.items.find((each) => isMap(each) && each.get("name") === step.named)
      : undefined;
    return isMap(item) ? { node: item, item } : undefined;
  }
  const pair = isMap(collection) ? collection.items.find(({ key }) => isScalar(key) && key.value === step) : undefined;
  return pair && isScalar(pair.key) && isNode(pair.value) ? { node: pair.value, item: pair, key: pair.key } : undefined;
}

const isNode = (value: unknown): value is Node => typeof value === "object" && value !== null && "range" in value;
const isCollection = (node: unknown): node is Collection => isMap(node) || isSeq(node);
const isInFlow = (node: Collection): boolean => node.flow === true;

/** A value inside one map or list for each step. */
function nest(path: ConfigPath, value: ConfigValue): ConfigValue {
  return path.reduceRight<ConfigValue>(
    (inner, step) => (typeof step === "string" ? { [step]: inner } : [inner]),
    value,
  );
}

type Layout = { readonly indent: number; readonly eol: string };

/** A value as lines, each with its line end. */
function writeBlock(value: ConfigValue, { indent, eol }: Layout): string {
  const lines = stringify(value, { lineWidth: 0 }).trimEnd().split("\n");
  return lines.map((line) => `${" ".repeat(indent)}${line}${eol}`).join("");
}

function rangeOf(item: Pair | Node): readonly [start: number, end: number] {
  const [first, last] = isPair(item) ? [item.key, item.value ?? item.key] : [item, item];
  const [start, end] = [isNode(first) ? first.range?.[0] : undefined, isNode(last) ? last.range?.[1] : undefined];
  if (start === undefined || end === undefined) throw new ConfigFormError("a value has no place in the text");
  return [start, end];
}

/** The column of the keys of a map, or of the dashes of a list. */
function indentOf(collection: Collection): number {
  const token = collection.srcToken;
  return token !== undefined && "indent" in token ? token.indent : 0;
}

function replaceValue(text: string, node: Node, value: ConfigValue): Splice[] {
  const head = isSeq(node) ? spliceSequence(text, node, value) : undefined;
  if (head !== undefined) return head;
  const [start, end] = rangeOf(node);
  const eol = findEol(text);
  const endsLine = text.slice(start, end).endsWith("\n");
  if (isSeq(node) && !isInFlow(node) && Array.isArray(value) && value.length > 0) {
    const block = writeBlock(value, { indent: indentOf(node), eol }).trimStart();
    return [{ start, end, text: endsLine ? block : block.trimEnd() }];
  }
  const written = typeof value === "string" ? writeLike(node, value) : writeInline(value);
  return [{ start, end, text: `${start === end ? " " : ""}${written}${endsLine ? eol : ""}` }];
}

/** Changes the front of a list; undefined if that is not possible. */
function spliceSequence(text: string, node: YAMLSeq, value: ConfigValue): Splice[] | undefined {
  const nodes = node.items.filter(isNode);
  const list = {
    range: rangeOf(node),
    items: nodes.map((item) => ({ value: isScalar(item) ? item.value : undefined, range: rangeOf(item) })),
  };
  if (isInFlow(node)) return spliceHead(text, list, value, (word) => writeLike(nodes[0], word));
  return spliceLines(text, list, value, (word) => writeLike(nodes[0], word));
}

/** A string quoted as the node is that it replaces or stands beside, where that is possible. */
function writeLike(node: Node | undefined, value: string): string {
  const style = isScalar(node) ? node.type : undefined;
  const isPlain = !/[,[\]{}\n]/.test(value) && stringify(value, { lineWidth: 0 }) === `${value}\n`;
  if (style === "PLAIN" && isPlain) return value;
  if (style === "QUOTE_SINGLE" && /^[^\x00-\x1f]*$/.test(value)) return `'${value.replaceAll("'", "''")}'`;
  return JSON.stringify(value);
}

/** After the last line of a map or list. */
function insertInBlock(text: string, collection: Collection, item: ConfigValue): Splice[] {
  const [, end] = rangeOf(collection);
  const eol = findEol(text);
  const block = writeBlock(item, { indent: indentOf(collection), eol });
  if (text[end - 1] === "\n") return [{ start: end, end, text: block }];
  const place = lineEnd(text, end);
  return [{ start: place, end: place, text: eol + block.slice(0, -eol.length) }];
}

function insertInFlow(text: string, collection: Collection, item: ConfigValue): Splice[] {
  const close = rangeOf(collection)[1] - 1;
  const place = text.slice(0, close).trimEnd().length;
  const separator = collection.items.length === 0 || text[place - 1] === "," ? " " : ", ";
  const end = text.slice(place, close).includes("\n") ? "" : " ";
  return [{ start: place, end: end === "" ? place : close, text: separator + writeFields(item) + end }];
}

/** A key without a value, or with null, gets its first item on the next line. */
function fillEmpty(text: string, { node, key, item }: { node: Scalar; key: Node; item: ConfigValue }): Splice[] {
  const [start, end] = rangeOf(node);
  const [keyStart, keyEnd] = rangeOf(key);
  const place = lineEnd(text, Math.max(keyEnd, end));
  const eol = findEol(text);
  const block = writeBlock(item, { indent: keyStart - lineStart(text, keyStart) + 2, eol });
  return [
    { start, end, text: "" },
    { start: place, end: place, text: eol + block.slice(0, -eol.length) },
  ];
}

function removeFromFlow(collection: Collection, item: Pair | Node): Splice[] {
  const items: readonly unknown[] = collection.items;
  const index = items.indexOf(item);
  const [previous, next] = [items[index - 1], items[index + 1]].map((each) =>
    isPair(each) || isNode(each) ? rangeOf(each) : undefined,
  );
  const [start, end] = rangeOf(item);
  if (previous) return [{ start: previous[1], end, text: "" }];
  return [{ start, end: next ? next[0] : end, text: "" }];
}

/** Removes the lines of an item. Comments and empty lines after it stay; a collection without items is written as such. */
function removeFromBlock(text: string, collection: Collection, item: Pair | Node): Splice[] {
  const [itemStart, itemEnd] = rangeOf(item);
  const start = lineStart(text, itemStart);
  const end = text[itemEnd - 1] === "\n" ? itemEnd : nextLine(text, itemEnd);
  const trailing = /(?:[ \t]*(?:#[^\n]*)?\r?\n)*$/.exec(text.slice(start, end))?.[0] ?? "";
  const kept = nextLine(text, Math.max(itemStart, end - trailing.length - 1));
  const empty = " ".repeat(indentOf(collection) + 2) + (isMap(collection) ? "{}" : "[]") + findEol(text);
  return [{ start, end: kept, text: collection.items.length === 1 ? empty : "" }];
}
